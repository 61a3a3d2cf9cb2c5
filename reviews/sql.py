"""A review as one statement that returns its verdict, as an install does (installs/sql.py).

It locks the agent's row, and queues to count. It does not lock the persona's row to check it: a
new status that is committed meanwhile refuses the next review.
"""

from catalogue.models import IS_PUBLISHED
from installs.sql import with_my_turn

SUBMIT_REVIEW = f"""
{with_my_turn("persona")}, persona AS (
    SELECT persona.id, persona.slug
    FROM turn, catalogue_persona AS persona
    WHERE persona.slug = %(slug)s AND persona.{IS_PUBLISHED}
), installed AS (
    SELECT persona_id FROM persona JOIN installs_personainstall ON persona_id = persona.id
    WHERE agent_id = %(agent)s AND removed_at IS NULL
), previous AS (
    SELECT review.id, review.counted_rating, review.deleted_at IS NOT NULL AS is_deleted
    FROM installed JOIN reviews_review AS review USING (persona_id)
    WHERE review.agent_id = %(agent)s
    FOR UPDATE OF review
), replaced AS (
    UPDATE reviews_review AS review
    SET rating = %(rating)s, comment = %(comment)s, updated_at = %(now)s, deleted_at = NULL,
        -- A deleted one is written anew; if it was hidden, it stays hidden.
        public_id = CASE WHEN is_deleted THEN %(public_id)s ELSE review.public_id END,
        created_at = CASE WHEN is_deleted THEN %(now)s ELSE review.created_at END
    FROM previous WHERE review.id = previous.id
    RETURNING review.*, is_deleted AS is_new, previous.counted_rating AS was
), created AS (
    INSERT INTO reviews_review (
        public_id, agent_id, persona_id, rating, comment, created_at, updated_at, hiding_reason
    )
    SELECT %(public_id)s, %(agent)s, persona_id, %(rating)s, %(comment)s, %(now)s, %(now)s, ''
    FROM installed WHERE NOT EXISTS (SELECT FROM previous)
    RETURNING *, true AS is_new, NULL::numeric AS was
), written AS (
    SELECT * FROM replaced UNION ALL SELECT * FROM created
), counted AS (
    -- A hidden review has no counted rating; its agent may go on changing it.
    UPDATE catalogue_persona AS persona
    SET rating_sum = rating_sum + counted_rating - coalesce(was, 0),
        rating_count = rating_count + (was IS NULL)::int
    FROM written WHERE persona.id = written.persona_id AND counted_rating IS NOT NULL
)
SELECT
    (SELECT id FROM me) AS agent_id, persona.id AS persona_id, persona.slug AS persona_slug,
    written.id AS review_id, public_id AS review_public_id, rating AS review_rating,
    comment AS review_comment, created_at AS review_created_at, updated_at AS review_updated_at,
    is_new
FROM (VALUES (true)) AS verdict LEFT JOIN persona ON true LEFT JOIN written ON true
"""
