from functools import partial

from agents.authentication import BearerAuthentication
from profiles.sql import PROFILE

# The statement that authenticates reads the rows of the profile too: `request.auth.row`.
ProfileAuthentication = partial(BearerAuthentication, statement=PROFILE)
