"""`/route`: the named ways to models."""

import click

from onbook.commands.call import Call
from onbook.config.load import load_settings
from onbook.config.places import state_dir
from onbook.policy.trust import TrustStore
from onbook.session.live import Live


@click.command()
@click.pass_obj
async def route(call: Call) -> None:
    """List the named ways to models, and the file that each one stands in.

    `onbook route add NAME URL` adds one; the next session knows it.
    """
    routes = call.live.settings.routes
    if not routes:
        call.note("no routes; add one with: onbook route add NAME URL")
        return
    origins = _origins(call.live)
    width = max(len(each.name) for each in routes)
    for each in routes:
        model = f"  {each.model}" if each.model else ""
        origin = origins.get(f"routes.{each.name.casefold()}", "a file that has changed since")
        call.say(f"{each.name:<{width}}  {each.url}{model}  ({origin})")


def _origins(live: Live) -> dict[str, str]:
    store = TrustStore(state_dir(live.environ))
    return load_settings(live.root, environ=live.environ, is_trusted=store.is_trusted).origins
