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
    SELECT review.id, review.counted_rating
    FROM installed JOIN reviews_review AS review USING (persona_id)
    WHERE review.agent_id = %(agent)s
    FOR UPDATE OF review
), replaced AS (
    UPDATE reviews_review AS review
    SET rating = %(rating)s, comment = %(comment)s, updated_at = %(now)s
    FROM previous WHERE review.id = previous.id
    RETURNING review.id, review.public_id, review.persona_id, review.created_at,
        review.counted_rating - previous.counted_rating AS rating_change, 0 AS count_change
), created AS (
    INSERT INTO reviews_review (
        public_id, agent_id, persona_id, rating, comment, created_at, updated_at, hiding_reason
    )
    SELECT %(public_id)s, %(agent)s, persona_id, %(rating)s, %(comment)s, %(now)s, %(now)s, ''
    FROM installed WHERE NOT EXISTS (SELECT FROM previous)
    RETURNING id, public_id, persona_id, created_at,
        counted_rating AS rating_change, 1 AS count_change
), written AS (
    SELECT * FROM replaced UNION ALL SELECT * FROM created
), counted AS (
    -- A hidden review has no counted rating; its agent may go on changing it.
    UPDATE catalogue_persona AS persona
    SET rating_sum = rating_sum + rating_change, rating_count = rating_count + count_change
    FROM written WHERE persona.id = written.persona_id AND rating_change IS NOT NULL
)
SELECT
    (SELECT id FROM me) AS agent_id, persona.id AS persona_id,
    written.id AS review_id, written.public_id, written.created_at,
    EXISTS (SELECT FROM created) AS is_new
FROM (VALUES (true)) AS verdict LEFT JOIN persona ON true LEFT JOIN written ON true
"""
