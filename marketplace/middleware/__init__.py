"""The layers around the views: errors in JSON, health checks, hosts, security headers, CORS."""
