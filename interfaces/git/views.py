"""git's smart HTTP: the refs of a repository, and packs of it."""

from django.http import HttpResponse

from agents.authentication import BearerAuthentication
from agents.models import AgentToken
from interfaces.git.exceptions import NoSuchService, PushForbidden, RepositoryChanged
from marketplace import access
from marketplace.access import Audience
from marketplace.api.file_responses import stored_response
from marketplace.api.parsers import StrictJSONParser, longest_body
from marketplace.api.scopes import Scope, check_scope
from marketplace.api.viewsets import PublicViewSet
from marketplace.ratelimits.decorators import check_rate

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"


class GitAuthentication(BearerAuthentication):
    """A token as Bearer, or as the password of Basic. A refused token counts as no token."""

    def __init__(self):
        super().__init__(takes_basic=True)

    def authenticate(self, request):
        text = self.text_of(request)
        token = AgentToken.objects.authenticate(text, self.statement) if text else None
        return token and (token.agent, token)

    def authenticate_header(self, _request):
        """The challenge that makes git ask for a password."""
        return 'Basic realm="marketplace"'


class GitViewSet(access.AsksReaders, PublicViewSet):
    is_slow = True  # the first clone of a large catalogue takes seconds
    audience = Audience.READERS
    authentication_classes = [GitAuthentication]

    def refs(self, request, kind, slug=None):
        service = self.query.get("service", [])
        if service == [RECEIVE]:
            raise PushForbidden
        if service != [UPLOAD]:
            raise NoSuchService
        self.check_reader(request, kind)
        # dulwich is imported by the web processes alone (marketplace/wsgi.py).
        from interfaces.git import packs, sources, store  # noqa: PLC0415

        source = sources.source_of(kind, slug, request.user)
        repository = store.repository_of(source)
        head = bytes(repository.head)
        refs = {"HEAD": head, "refs/heads/main": head}
        tags = source.tags_of(repository).items()
        refs |= {f"refs/tags/{name}": sha for name, sha in tags}
        return respond("advertisement", packs.advertised(refs))

    def upload(self, request, kind, slug=None):
        """Send a pack, or the next round of negotiation. Either counts, and so does an error."""
        self.check_reader(request, kind)
        is_of_blobs = False
        try:
            negotiation = self.negotiate(request, kind, slug)
            is_of_blobs = negotiation.is_of_blobs
        finally:
            # A partial clone fetches the files that it lacks anew for each command.
            check_rate(request, "clone", once_a_minute=is_of_blobs)
        if not negotiation.is_pack:
            return respond("result", negotiation.reply)
        return self.send_pack(negotiation)

    def negotiate(self, request, kind, slug):
        from interfaces.git import packs, sources, store, upload_requests  # noqa: PLC0415

        encoding = request.headers.get("Content-Encoding", "")
        body = StrictJSONParser().read(request, longest_body(request))
        upload_request = upload_requests.read(body, encoding)
        source = sources.source_of(kind, slug, request.user)
        return packs.Negotiation(store.repository_of(source), upload_request)

    def send_pack(self, negotiation):
        """Send it from a file, so that a slow client holds neither memory nor a thread."""
        name, content_type = f"git-{negotiation.digest}", f"application/x-{UPLOAD}-result"
        try:
            return stored_response(name, negotiation.write, content_type)
        except RepositoryChanged:
            return respond("result", negotiation.gone)

    def push(self, _request, kind, slug=None):
        raise PushForbidden

    def check_reader(self, request, kind):
        """Raise an error if the request may not read the repository.

        The rule is that of the catalogue. Only an agent itself reads its own.
        """
        if kind == "me":
            check_scope(request.auth, Scope.CLONE)
        else:
            access.check_reader(request, request.auth, scope=Scope.CLONE)


def respond(kind, content):
    return HttpResponse(content, content_type=f"application/x-{UPLOAD}-{kind}")
