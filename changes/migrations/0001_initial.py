import django.db.models.expressions
from django.db import migrations, models


CONSTRAINTS = '''
-- Checked at once, not at the commit. A commit that holds the feed's position must not wait for the
-- row of an entry whose own commit waits for the position (docs/develop/feed.md).
ALTER TABLE catalogue_skill
    ALTER CONSTRAINT catalogue_skill_successor_id_4230ce3a_fk_catalogue_skill_id DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE catalogue_persona
    ALTER CONSTRAINT catalogue_persona_successor_id_7bd92305_fk_catalogue_persona_id DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE catalogue_persona_skills
    ALTER CONSTRAINT catalogue_persona_sk_persona_id_a728e76e_fk_catalogue DEFERRABLE INITIALLY IMMEDIATE,
    ALTER CONSTRAINT catalogue_persona_sk_skill_id_ff431170_fk_catalogue DEFERRABLE INITIALLY IMMEDIATE;
'''

FEED = '''
-- The feed of changes (docs/develop/feed.md): entries that appeared, changed or went, in the order
-- of the commits. Deferred triggers run all of it when a transaction commits.

-- The position of this transaction in the feed, later than that of every committed transaction. The
-- transaction locks the feed's one row until its commit is visible. So a reader that has seen a
-- position never finds an earlier one afterward.
CREATE OR REPLACE FUNCTION changes_position() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := nullif(current_setting('changes.position', true), '');
BEGIN
    IF place IS NULL THEN
        INSERT INTO changes_feed AS feed (id, newest_at, complete_since)
        VALUES (1, clock_timestamp(), 'epoch')
        ON CONFLICT (id) DO UPDATE SET
            -- Also where the clock was set back.
            newest_at = greatest(clock_timestamp(), feed.newest_at + interval '1 microsecond')
        RETURNING newest_at INTO place;
        PERFORM set_config('changes.position', place::text, true);
        WITH dropped AS (
            DELETE FROM changes_change
            WHERE change = 'withdrawn' AND changed_at < place - interval '90 days'
            RETURNING changed_at
        )
        UPDATE changes_feed SET complete_since = newest.changed_at
        FROM (SELECT max(changed_at) AS changed_at FROM dropped) AS newest
        WHERE newest.changed_at > complete_since;
    END IF;
    RETURN place;
END $$;

-- Whether an entry is in the feed as published, or was until this transaction.
CREATE OR REPLACE FUNCTION changes_is_in_feed(of text, entry bigint, place timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM changes_change
        WHERE kind = of AND entry_id = entry AND (change <> 'withdrawn' OR changed_at = place)
    )
$$;

-- The details of a skill and of a persona that bundles it show each other.
CREATE OR REPLACE FUNCTION changes_bundle_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := changes_position();
    bundle record;
BEGIN
    FOR bundle IN
        SELECT OLD.skill_id, OLD.persona_id WHERE OLD.id IS NOT NULL
        UNION SELECT NEW.skill_id, NEW.persona_id WHERE NEW.id IS NOT NULL
    LOOP
        IF changes_is_in_feed('skill', bundle.skill_id, place) THEN
            PERFORM changes_note_persona(bundle.persona_id);
        END IF;
        IF changes_is_in_feed('persona', bundle.persona_id, place) THEN
            PERFORM changes_note_skill(bundle.skill_id);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER changes_bundle_changed
    AFTER INSERT OR UPDATE OR DELETE ON catalogue_persona_skills
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION changes_bundle_changed();
'''

ENTRIES = '''
-- The feed's triggers for one kind of entry. __init__.py replaces the names in braces.

-- Records a change of an entry: its slug is published or has changed, and any other slug that it
-- had is withdrawn. One record per transaction is enough, unless the digest changes again.
CREATE OR REPLACE FUNCTION changes_note_{kind}(entry bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place timestamptz := changes_position();
    published text;
BEGIN
    SELECT slug INTO published FROM catalogue_{kind} WHERE id = entry AND status = 'published';
    UPDATE changes_change SET change = 'withdrawn', digest = NULL, number = NULL, changed_at = place
    WHERE kind = '{kind}' AND entry_id = entry AND change <> 'withdrawn'
        AND slug IS DISTINCT FROM published;
    INSERT INTO changes_change AS known (kind, entry_id, slug, change, digest, number, changed_at)
    SELECT '{kind}', entry, slug, 'published', digest, number, place
    FROM catalogue_{kind} WHERE id = entry AND status = 'published'
    ON CONFLICT (kind, slug) DO UPDATE SET
        entry_id = entry,
        change = CASE
            WHEN known.change = 'withdrawn' THEN 'published'
            WHEN known.changed_at = place THEN known.change
            ELSE 'updated'
        END,
        digest = excluded.digest,
        number = excluded.number,
        changed_at = place
    WHERE (known.entry_id, known.digest, known.number, known.changed_at)
        IS DISTINCT FROM (entry, excluded.digest, excluded.number, place);
END $$;

CREATE OR REPLACE FUNCTION changes_{kind}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE affected bigint;
BEGIN
    IF 'published' IN (OLD.status, NEW.status) THEN
        PERFORM changes_note_{kind}(coalesce(NEW.id, OLD.id));
        -- What a detail shows of those that it bundles, or that bundle it.
        IF ({old_beside}) IS DISTINCT FROM ({new_beside}) THEN
            FOR affected IN
                SELECT {other}_id FROM catalogue_persona_skills WHERE {kind}_id = NEW.id
            LOOP
                PERFORM changes_note_{other}(affected);
            END LOOP;
        END IF;
        -- What a deprecated entry shows of its successor.
        IF (OLD.slug, OLD.status) IS DISTINCT FROM (NEW.slug, NEW.status) THEN
            FOR affected IN SELECT id FROM catalogue_{kind} WHERE successor_id = NEW.id LOOP
                PERFORM changes_note_{kind}(affected);
            END LOOP;
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER changes_{kind}_changed
    AFTER INSERT OR DELETE OR UPDATE OF {columns} ON catalogue_{kind}
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION changes_{kind}_changed();
'''

COLUMNS = [
    *('slug', 'title', 'description', 'category', 'tags', 'runtimes', 'author', 'version'),
    *('license', 'content', 'status', 'deprecation_message', 'successor_id'),
    *('created_at', 'updated_at'),
]


def entries(kind, other, *more, beside):
    return ENTRIES.format(
        kind=kind,
        other=other,
        columns=', '.join([*COLUMNS, *more]),
        old_beside=', '.join(f'OLD.{name}' for name in beside),
        new_beside=', '.join(f'NEW.{name}' for name in beside),
    )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalogue', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Feed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('newest_at', models.DateTimeField()),
                ('complete_since', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=7)),
                ('entry_id', models.BigIntegerField()),
                ('slug', models.CharField(max_length=100)),
                ('change', models.CharField(choices=[('published', 'Published'), ('updated', 'Updated'), ('withdrawn', 'Withdrawn')], max_length=9)),
                ('digest', models.CharField(max_length=71, null=True)),
                ('number', models.PositiveIntegerField(null=True)),
                ('changed_at', models.DateTimeField()),
            ],
            options={
                'indexes': [
                    models.Index(fields=['kind', 'entry_id'], name='change_of_entry'),
                    models.Index(models.F('changed_at'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), name='change_position'),
                    models.Index(models.F('kind'), models.F('changed_at'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), name='change_position_of_kind'),
                    models.Index(models.F('changed_at'), condition=models.Q(('change', 'withdrawn')), name='change_tombstone'),
                ],
                'constraints': [models.UniqueConstraint(fields=('kind', 'slug'), name='one_change_per_kind_and_slug')],
            },
        ),
        migrations.RunSQL(CONSTRAINTS, migrations.RunSQL.noop),
        migrations.RunSQL(FEED, 'DROP FUNCTION changes_position, changes_is_in_feed, changes_bundle_changed CASCADE'),
        migrations.RunSQL(
            entries('skill', 'persona', 'skill_md', 'files', beside=['slug', 'title', 'description', 'status']),
            'DROP FUNCTION changes_note_skill, changes_skill_changed CASCADE',
        ),
        migrations.RunSQL(
            entries('persona', 'skill', 'price_cents', 'frontmatter', beside=['slug', 'title', 'status']),
            'DROP FUNCTION changes_note_persona, changes_persona_changed CASCADE',
        ),
    ]
