"""Programs that use generated clients; tests/test_generated_clients.py runs them elsewhere."""
