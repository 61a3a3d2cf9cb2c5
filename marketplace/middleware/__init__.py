"""The layers around the views: errors in JSON, health checks, security headers, HTTPS and CORS."""
