from django.urls import re_path

from people.views import Callback, SignIn

urlpatterns = [
    re_path(r"^admin/sign-in/?$", SignIn.as_view(), name="sign-in"),
    re_path(r"^admin/sign-in/callback/?$", Callback.as_view(), name="sign-in-callback"),
]
