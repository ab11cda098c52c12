"""What the lectures compute: traces, risks, costs and plane geometry."""
