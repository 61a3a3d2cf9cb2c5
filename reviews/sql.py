"""A review that succeeds as one statement: a round trip instead of six (see installs.sql).

It says what ReviewManager.submit_stepwise says step by step, except that it leaves hidden reviews
to that; tests/api/test_review_at_once.py compares the two.
"""

SUBMIT_REVIEW = """
WITH me AS (
    SELECT id FROM agents_agent
    WHERE id = %(agent)s AND suspended_at IS NULL
    FOR NO KEY UPDATE
), reviewed AS (
    SELECT me.id AS agent_id, persona.id AS persona_id
    FROM me, catalogue_persona AS persona
    WHERE persona.slug = %(slug)s AND persona.status = 'published'
), old AS (
    -- As it is after the wait for the agent's lock, which the snapshot is older than.
    SELECT review.id, review.rating, review.hidden_at
    FROM reviewed JOIN reviews_review AS review USING (agent_id, persona_id)
    FOR UPDATE OF review
), changed AS (
    UPDATE reviews_review AS review
    SET rating = %(rating)s, comment = %(comment)s, updated_at = %(now)s
    FROM old WHERE review.id = old.id AND old.hidden_at IS NULL
    RETURNING review.id, review.persona_id, review.public_id, review.created_at,
        review.rating - old.rating AS change, 0 AS more
), born AS (
    INSERT INTO reviews_review (
        public_id, agent_id, persona_id, rating, comment, created_at, updated_at, hiding_reason
    )
    SELECT %(public_id)s, agent_id, persona_id, %(rating)s, %(comment)s, %(now)s, %(now)s, ''
    FROM reviewed JOIN installs_personainstall USING (agent_id, persona_id)
    WHERE NOT EXISTS (SELECT FROM old)
    RETURNING id, persona_id, public_id, created_at, rating AS change, 1 AS more
)
UPDATE catalogue_persona AS persona
SET rating_sum = rating_sum + written.change, rating_count = rating_count + written.more
FROM (SELECT * FROM changed UNION ALL SELECT * FROM born) AS written
WHERE persona.id = written.persona_id
RETURNING written.id, written.persona_id, written.public_id, written.created_at, written.more
"""
