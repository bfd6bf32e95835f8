"""External engines: agents in processes of their own, which speak the protocol of docs/engines.md."""
