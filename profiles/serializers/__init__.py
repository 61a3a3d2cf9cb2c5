from profiles.serializers.limits import LimitsSerializer
from profiles.serializers.manifest import ManifestSerializer
from profiles.serializers.profile import ProfileSerializer

__all__ = ["LimitsSerializer", "ManifestSerializer", "ProfileSerializer"]
