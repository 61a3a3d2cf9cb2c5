"""Programs that use generated clients; tests/interfaces/test_generated_clients.py runs them."""
