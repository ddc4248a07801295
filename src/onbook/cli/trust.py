"""`onbook trust`: a cloned folder is not the user until the user says so."""

import time
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.stage import trust_store, workspace_root
from onbook.cli.table import echo_table
from onbook.terminal.screen import say_aside


@click.group(invoke_without_command=True)
@options.workspace
@click.pass_context
def trust(ctx: click.Context, workspace: Path | None) -> None:
    """Trust this workspace's onbook.toml as it is now: its routes may name keys and other hosts.

    The templates in .onbook/templates/ are trusted with it. Any change makes them untrusted again.
    """
    if ctx.invoked_subcommand is None:
        entry = trust_store().trust(workspace_root(workspace))
        click.echo(f"trusted: {entry.root} ({', '.join(entry.files)})")


@trust.command()
@options.as_json
def show(*, as_json: bool) -> None:
    """List the trusted workspaces, and which of them have changed since."""
    store = trust_store()
    if problem := store.problem():
        say_aside(f"onbook: {problem}")
    entries = store.show()
    if as_json:
        for entry in entries:
            click.echo(msgspec.json.encode(msgspec.to_builtins(entry) | {"unchanged": entry.unchanged}))
    elif entries:
        rows = [
            (
                entry.root,
                time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.time)),
                "trusted" if entry.unchanged else "changed since: run onbook trust there",
            )
            for entry in entries
        ]
        echo_table(("WORKSPACE", "SINCE", "STATE"), rows)
    else:
        click.echo("onbook: no workspace is trusted", err=True)


@trust.command()
@options.workspace
def revoke(workspace: Path | None) -> None:
    """Forget that this workspace was trusted."""
    root = workspace_root(workspace)
    if trust_store().revoke(root):
        click.echo(f"no longer trusted: {root}")
    else:
        say_aside(f"onbook: {root} was not trusted")
