-- Checked at once, not at the commit. A commit that holds the feed's position must not wait for the
-- row of an entry whose own commit waits for the position (docs/develop/feed.md).
ALTER TABLE catalogue_skill
    ALTER CONSTRAINT catalogue_skill_successor_id_4230ce3a_fk_catalogue_skill_id DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE catalogue_persona
    ALTER CONSTRAINT catalogue_persona_successor_id_7bd92305_fk_catalogue_persona_id DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE catalogue_persona_skills
    ALTER CONSTRAINT catalogue_persona_sk_persona_id_a728e76e_fk_catalogue DEFERRABLE INITIALLY IMMEDIATE,
    ALTER CONSTRAINT catalogue_persona_sk_skill_id_ff431170_fk_catalogue DEFERRABLE INITIALLY IMMEDIATE;
