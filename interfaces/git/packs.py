"""git's protocol: the refs, the negotiation, and the pack that a client gets.

dulwich frames the lines and the objects. The negotiation is ours, because a history is linear: one
statement finds the numbers of a few commits, and they tell what a client has.
"""

from bisect import bisect_right
from hashlib import sha1, sha256
from io import BytesIO

from dulwich.objects import Commit
from dulwich.pack import pack_header_chunks
from dulwich.protocol import Protocol, pkt_line

from interfaces.git import partial_clones, store

# libgit2 reads a space after the object format.
CAPABILITIES = (
    b"multi_ack_detailed no-done no-progress side-band-64k shallow deepen-relative "
    b"allow-tip-sha1-in-want allow-reachable-sha1-in-want filter object-format=sha1 "
    b"symref=HEAD:refs/heads/main"
)
DATA = 1  # the band of a pack
IN_VAIN = 1000  # unknown haves in one request, after which the client gets everything


def advertised(refs):
    """The response to the first request of a client: all refs, HEAD first."""
    output = BytesIO()
    proto = Protocol(None, output.write)
    proto.write_pkt_line(b"# service=git-upload-pack\n")
    proto.write_pkt_line(None)
    end = b"\0" + CAPABILITIES + b"\n"
    for name, sha in refs.items():
        proto.write_pkt_line(sha.hex().encode() + b" " + name.encode() + end)
        end = b"\n"
    proto.write_pkt_line(None)
    return output.getvalue()


def not_our_ref(sha):
    """The response to a client that wants an object that the repository does not have."""
    return error(b"not our ref " + sha.hex().encode())


def error(text):
    return pkt_line(b"ERR upload-pack: " + text)


class Negotiation:
    """A request to a repository. If `is_pack`, a pack follows the `reply`."""

    def __init__(self, repository, request):
        self.repository, self.request = repository, request
        self.numbers = store.numbers_of(repository, request.shas)
        self.output = BytesIO()
        self.proto = Protocol(None, self.output.write)
        others = [sha for sha in request.wants if sha not in self.numbers]
        self.objects = partial_clones.objects_in(repository, others) if others else {}
        self.limit = request.filter and partial_clones.limit_of(request.filter)
        self.is_pack = False
        if refusal := self.refusal():
            self.output.write(refusal)
            return
        self.shallow = {self.numbers[sha] for sha in request.shallow if sha in self.numbers}
        self.cuts = [1, *sorted(self.shallow)]
        self.common = [sha for sha in request.haves if sha in self.numbers]
        commits = [sha for sha in request.wants if sha in self.numbers]
        self.wants = self.numbers_up_to(commits, self.oldest_want)
        if request.depth:
            self.tell_shallow()
        self.is_pack = request.is_whole and self.acknowledge()

    def refusal(self):
        """The error that is the whole response, or None."""
        for sha in self.request.wants:
            if sha not in self.numbers and sha not in self.objects:
                return not_our_ref(sha)
        if self.request.filter and self.limit is None:
            return error(b"filter '" + self.request.filter + b"' not supported")
        return None

    @property
    def is_of_blobs(self):
        """Whether the client only gets files that it has left out."""
        objects = [self.objects.get(sha) for sha in self.request.wants]
        return self.is_pack and not any(found is None or found.is_tree for found in objects)

    @property
    def gone(self):
        """The response if a purge has started the history over meanwhile."""
        return not_our_ref(self.request.wants[0])

    @property
    def reply(self):
        return self.output.getvalue()

    def oldest(self, number):
        """The oldest commit that a client with this one has: 1, or where its history is cut."""
        return self.cuts[bisect_right(self.cuts, number) - 1]

    def oldest_want(self, number):
        depth = self.request.depth
        if not depth:
            return self.oldest(number)
        if b"deepen-relative" in self.request.capabilities:
            return max(self.oldest(number) - depth, 1)
        return max(number - depth + 1, 1)

    def numbers_up_to(self, shas, oldest):
        """The numbers of these commits, and of those before each, back to `oldest(number)`."""
        numbers, last = set(), 0
        for number in sorted({self.numbers[sha] for sha in shas}):
            # `oldest` never decreases, so the set has the rest already.
            numbers.update(range(max(oldest(number), last + 1), number + 1))
            last = number
        return numbers

    def tell_shallow(self):
        cut = {number for number in self.wants if number > 1 and number - 1 not in self.wants}
        shas = store.shas_of(self.repository, cut | self.shallow)
        for number in sorted(cut - self.shallow):
            self.proto.write_pkt_line(b"shallow " + shas[number].hex().encode())
        for number in sorted((self.shallow & self.wants) - cut):
            self.proto.write_pkt_line(b"unshallow " + shas[number].hex().encode())
        self.proto.write_pkt_line(None)

    def acknowledge(self):
        """Write the common commits. Returns whether the pack follows at once."""
        detailed = b"multi_ack_detailed" in self.request.capabilities
        is_ready = False
        if detailed:
            is_ready = self.acknowledge_each()
        elif self.common:
            self.write_ack(self.common[0])
        if self.request.is_done:
            if not self.common:
                self.proto.write_pkt_line(b"NAK\n")
            elif detailed:
                self.write_ack(self.common[-1])
            return True
        if detailed or not self.common:
            self.proto.write_pkt_line(b"NAK\n")
        if is_ready and self.has_no_done:
            self.write_ack((self.common or self.request.haves)[-1])
            return True
        return False

    def acknowledge_each(self):
        """Returns whether the client now knows that the server needs nothing else."""
        numbers = [self.numbers[sha] for sha in self.request.wants if sha in self.numbers]
        least_want = min(numbers, default=store.OPEN)
        is_enough, is_ready, has_other = False, False, False
        for sha in self.request.haves:
            if sha in self.numbers:
                is_enough = is_enough or self.numbers[sha] <= least_want
                self.write_ack(sha, b" common")
            else:
                has_other = True
                if is_enough:
                    is_ready = True
                    self.write_ack(sha, b" ready")
        if is_enough and not has_other and not self.request.is_done:
            is_ready = True
            self.write_ack(self.common[-1], b" ready")
        if self.is_in_vain:
            is_ready = True
            self.write_ack(self.request.haves[-1], b" ready")
        return is_ready

    @property
    def is_in_vain(self):
        """Whether the client should stop naming commits of other repositories.

        git names twice as many each time, and would soon name more than a request may hold.
        """
        is_vain = not self.common and len(self.request.haves) >= IN_VAIN
        return is_vain and self.has_no_done and not self.request.is_done

    def write_ack(self, sha, state=b""):
        self.proto.write_pkt_line(b"ACK " + sha.hex().encode() + state + b"\n")

    def parts(self):
        """The commits to send, as pairs (first, last), and the known commits next to them."""
        client_has = self.numbers_up_to(self.common, self.oldest)
        missing = self.wants - client_has
        first = sorted(number for number in missing if number - 1 not in missing)
        last = sorted(number for number in missing if number + 1 not in missing)
        beside = {number - 1 for number in first} | {number + 1 for number in last}
        return list(zip(first, last, strict=True)), sorted(beside & client_has)

    @property
    def has_no_done(self):
        return b"no-done" in self.request.capabilities

    @property
    def has_bands(self):
        return b"side-band-64k" in self.request.capabilities

    @property
    def digest(self):
        """Identifies the response by its input: a commit implies everything before it."""
        shallow = [sha for sha in self.request.shallow if sha in self.numbers]
        commits = [sorted(shas) for shas in (self.request.wants, self.common, shallow)]
        text = repr((commits, self.request.depth, self.limit, self.has_bands, self.reply))
        return sha256(text.encode()).hexdigest()

    def contents(self):
        """The commits to send, and the other objects, as pairs of sha and size."""
        parts, known = self.parts()
        objects = store.objects_of(self.repository, parts, known) if parts else []
        commits = store.commits_in(self.repository, parts) if parts else []
        objects += partial_clones.objects_below(self.objects.values())
        if self.limit is not None:
            objects = partial_clones.without_blobs(objects, self.limit)
        # A filter leaves out nothing that the client names.
        named = [(found.sha, found.size) for found in self.objects.values()]
        return commits, list(dict([*objects, *named]).items())

    def write(self, file):
        """Write the whole response."""
        file.write(self.reply)
        chunks = pack_chunks(*self.contents())
        if not self.has_bands:
            file.writelines(chunks)
            return
        proto = Protocol(None, file.write)
        for chunk in chunks:
            proto.write_sideband(DATA, chunk)
        proto.write_pkt_line(None)


def pack_chunks(commits, objects):
    """The bytes of a pack. Only one batch of objects is in memory at a time."""
    digest = sha1(usedforsecurity=False)
    for chunk in packed(commits, objects):
        digest.update(chunk)
        yield chunk
    yield digest.digest()


def packed(commits, objects):
    yield from pack_header_chunks(len(commits) + len(objects))
    for commit in commits:
        yield store.packed(Commit.type_num, commit)
    yield from store.read_objects(objects)
