"""The admin's time format outside of templates. Django's British format has "3:27 p.m."."""

DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
