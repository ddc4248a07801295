"""`onbook completion`: click's own script, under a name people look for."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "fish", "zsh"]), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash:  echo 'eval "$(onbook completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(onbook completion zsh)"' >> ~/.zshrc
    fish:  onbook completion fish > ~/.config/fish/completions/onbook.fish
    """
    found = get_completion_class(shell)
    root = ctx.find_root()
    if found is not None:
        click.echo(found(root.command, {}, "onbook", "_ONBOOK_COMPLETE").source())
