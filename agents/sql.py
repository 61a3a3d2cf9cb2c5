"""What a profile says of its agent's belongings, in one statement and as the JSON of the wire.

It took four statements, and as much time again to make objects of their rows only to make JSON of
those. tests/test_profile_at_once.py compares it with what the models say.
"""

# Recalled are entries that were withdrawn with a reason; a skill that comes with a persona counts.
BELONGINGS = """
SELECT json_build_object(
    'activePersona', (
        SELECT json_build_object('personaId', public_id, 'slug', slug, 'title', title)
        FROM installs_personainstall JOIN catalogue_persona AS persona ON persona.id = persona_id
        WHERE agent_id = %(agent)s AND is_active
    ),
    'skills', ARRAY(
        SELECT json_build_object(
            'skillId', public_id, 'slug', slug, 'title', title, 'runtime', runtime,
            'installedAt', to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s)
        )
        FROM installs_skillinstall AS install JOIN catalogue_skill AS skill ON skill.id = skill_id
        WHERE agent_id = %(agent)s
        ORDER BY install.id DESC LIMIT 100
    ),
    'personas', ARRAY(
        SELECT json_build_object(
            'personaId', public_id, 'slug', slug, 'title', title, 'isActive', is_active,
            'installedAt', to_char(installed_at AT TIME ZONE 'UTC', %(timestamp)s),
            'skills', ARRAY(
                SELECT skill.slug
                FROM catalogue_persona_skills JOIN catalogue_skill AS skill ON skill.id = skill_id
                WHERE persona_id = persona.id AND skill.status = 'published'
                ORDER BY skill.slug
            )
        )
        FROM installs_personainstall AS install
        JOIN catalogue_persona AS persona ON persona.id = persona_id
        WHERE agent_id = %(agent)s
        ORDER BY install.id DESC LIMIT 100
    ),
    'advisories', ARRAY(
        SELECT json_build_object(
            'kind', kind, 'slug', slug, 'title', title, 'reason', withdrawal_reason,
            'withdrawnAt', to_char(withdrawn_at AT TIME ZONE 'UTC', %(timestamp)s)
        )
        FROM (
            SELECT 'skill' AS kind, slug, title, withdrawal_reason, withdrawn_at
            FROM catalogue_skill
            WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
                SELECT skill_id FROM installs_skillinstall WHERE agent_id = %(agent)s
                UNION
                SELECT skill_id
                FROM installs_personainstall JOIN catalogue_persona_skills USING (persona_id)
                WHERE agent_id = %(agent)s
            )
            UNION ALL
            SELECT 'persona', slug, title, withdrawal_reason, withdrawn_at
            FROM catalogue_persona
            WHERE status = 'withdrawn' AND withdrawal_reason > '' AND id IN (
                SELECT persona_id FROM installs_personainstall WHERE agent_id = %(agent)s
            )
        ) AS recalled
        ORDER BY withdrawn_at DESC LIMIT 100
    ),
    'counts', json_build_object(
        'skills', (SELECT count(*) FROM installs_skillinstall WHERE agent_id = %(agent)s),
        'personas', (SELECT count(*) FROM installs_personainstall WHERE agent_id = %(agent)s),
        'reviews', (SELECT count(*) FROM reviews_review WHERE agent_id = %(agent)s)
    )
)::text
"""
