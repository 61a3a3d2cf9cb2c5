"""How the admin writes a time, where no template says it: the British way has "3:27 p.m."."""

DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
