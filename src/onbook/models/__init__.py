"""Talking to models: messages, the wire protocols, routes, the resolver, context windows, the embedded one."""
