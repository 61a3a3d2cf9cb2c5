"""A review as one statement that returns its verdict, as an install does (installs/sql.py).

It locks the agent's row alone: a withdrawal that is committed meanwhile refuses the next review.
"""

from agents.sql import WITH_ME

SUBMIT_REVIEW = f"""
{WITH_ME}, persona AS (
    SELECT persona.id
    FROM me, catalogue_persona AS persona
    WHERE persona.slug = %(slug)s AND persona.status = 'published'
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
    RETURNING review.id, review.public_id, review.persona_id, review.created_at,
        is_deleted AS is_new, previous.counted_rating AS was, review.counted_rating AS becomes
), created AS (
    INSERT INTO reviews_review (
        public_id, agent_id, persona_id, rating, comment, created_at, updated_at, hiding_reason
    )
    SELECT %(public_id)s, %(agent)s, persona_id, %(rating)s, %(comment)s, %(now)s, %(now)s, ''
    FROM installed WHERE NOT EXISTS (SELECT FROM previous)
    RETURNING id, public_id, persona_id, created_at,
        true AS is_new, NULL::numeric AS was, counted_rating AS becomes
), written AS (
    SELECT * FROM replaced UNION ALL SELECT * FROM created
), counted AS (
    -- A hidden review has no counted rating; its agent may go on changing it.
    UPDATE catalogue_persona AS persona
    SET rating_sum = rating_sum + becomes - coalesce(was, 0),
        rating_count = rating_count + (was IS NULL)::int
    FROM written WHERE persona.id = written.persona_id AND becomes IS NOT NULL
)
SELECT
    (SELECT id FROM me) AS agent_id, persona.id AS persona_id,
    written.id AS review_id, written.public_id, written.created_at, written.is_new
FROM (VALUES (true)) AS verdict LEFT JOIN persona ON true LEFT JOIN written ON true
"""

DELETE_REVIEW = f"""
{WITH_ME}, previous AS (
    SELECT review.id, review.public_id, review.persona_id, review.counted_rating
    FROM me
    JOIN reviews_review AS review ON review.agent_id = me.id
    JOIN catalogue_persona AS persona ON persona.id = review.persona_id
    WHERE persona.slug = %(slug)s AND review.deleted_at IS NULL
    FOR UPDATE OF review
), deleted AS (
    UPDATE reviews_review AS review SET deleted_at = now(), comment = ''
    FROM previous WHERE review.id = previous.id
), counted AS (
    UPDATE catalogue_persona AS persona
    SET rating_sum = rating_sum - counted_rating, rating_count = rating_count - 1
    FROM previous WHERE persona.id = previous.persona_id AND counted_rating IS NOT NULL
)
SELECT
    (SELECT id FROM me) AS agent_id,
    previous.id AS review_id, previous.public_id, previous.persona_id
FROM (VALUES (true)) AS verdict LEFT JOIN previous ON true
"""
