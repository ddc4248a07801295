"""Agents of a workflow that has been set up, sent out to a scripted server."""

from tests.commands.conftest import typed as typed
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
