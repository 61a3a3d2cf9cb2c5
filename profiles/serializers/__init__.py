from profiles.serializers.limits import LimitsSerializer
from profiles.serializers.manifest import ManifestSerializer
from profiles.serializers.profile import ProfileSerializer
