from tests.admin.conftest import clerk_with  # noqa: F401
