from publishers.models.publishers import ExchangedToken, Issuer, Publisher

__all__ = ["ExchangedToken", "Issuer", "Publisher"]
