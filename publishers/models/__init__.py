from publishers.models.issuers import Issuer
from publishers.models.publishers import ExchangedToken, Publisher

__all__ = ["ExchangedToken", "Issuer", "Publisher"]
