from rest_framework.serializers import BaseSerializer

from marketplace.api.serializers import BodySerializer, BooleanField, SlugField, TextField


class InstallSkillSerializer(BodySerializer):
    slug = SlugField()
    runtime = TextField(default="")


class InstallPersonaSerializer(BodySerializer):
    slug = SlugField()
    setActive = BooleanField(default=False)


class InstalledSkillSerializer(BaseSerializer):
    def to_representation(self, install):
        return {
            "message": "Skill installed",
            "skillId": install.skill.public_id,
            "slug": install.skill.slug,
        }


class InstalledPersonaSerializer(BaseSerializer):
    def to_representation(self, install):
        return {
            "message": "Persona installed",
            "personaId": install.persona.public_id,
            "slug": install.persona.slug,
            "isActive": install.is_active,
        }
