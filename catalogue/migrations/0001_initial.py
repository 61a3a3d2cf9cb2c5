import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.contrib.postgres.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.math
import django.db.models.functions.text
import simple_history.models
from django.conf import settings
from django.db import migrations, models


DIGEST = r'''
-- The digest of a text in UTF-8, whatever the encoding of the database.
CREATE OR REPLACE FUNCTION catalogue_digest(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex');
END $$;

-- The digest of a skill: of its SKILL.md if there is nothing else, otherwise of the lines that
-- sha256sum prints for its folder, sorted by the bytes of the path.
CREATE OR REPLACE FUNCTION catalogue_digest(skill_md text, files jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    hashed bytea := sha256(convert_to(skill_md, 'UTF8'));
    lines text;
BEGIN
    IF files <> '[]' THEN
        SELECT string_agg(line, '' ORDER BY path) INTO lines FROM (
            SELECT encode(hashed, 'hex') || E'  SKILL.md\n' AS line, 'SKILL.md'::bytea AS path
            UNION ALL
            SELECT
                substr(digest, length('sha256:') + 1)
                    || CASE WHEN is_executable THEN ' *' ELSE '  ' END || path || E'\n',
                convert_to(path, 'UTF8')
            FROM jsonb_to_recordset(files) AS file (path text, digest text, is_executable boolean)
        ) AS folder;
        hashed := sha256(convert_to(lines, 'UTF8'));
    END IF;
    RETURN 'sha256:' || encode(hashed, 'hex');
END $$;

-- What somebody wrote, whatever the newlines and the byte order mark, which earlier releases left
-- out when they imported a file.
CREATE OR REPLACE FUNCTION catalogue_written(content text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT replace(
        replace(regexp_replace(content, '^\uFEFF', ''), E'\r\n', E'\n'), E'\r', E'\n'
    )
$$;
'''

PLAIN = r'''
-- The one form of texts and of queries, as to_tsvector should see them: NFKC in lower case, without
-- invisible characters, and with a space for every sign that is not ASCII.
--
-- Names with signs are words of their own (C#: csharp), whichever way they are spelled; others are
-- split (pdf-tables, ci/cd). Chinese, Japanese and Korean are written without spaces, and become
-- overlapping pairs of characters.
CREATE OR REPLACE FUNCTION catalogue_plain(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    -- Soft hyphen, joiners, marks of direction, variation selectors, tatweel
    invisible CONSTANT text := '[\u00ad\u034f\u061c\u0640\u180b-\u180e\u200b-\u200f\u202a-\u202e'
        '\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]';
    signs CONSTANT text := '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7'
        '\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u2000-\u2bff'
        '\u3000-\u3004\u3007-\u3030\u303d-\u303f\u30fb\U0001f000-\U0001faff]';
    spaceless CONSTANT text := '[\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+';
    plain text := raw;
    run text;
    pairs text := '';
BEGIN
    IF octet_length(raw) > length(raw) THEN
        plain := normalize(regexp_replace(plain, invisible, '', 'g'), NFKC);
        -- Dashes join words, as hyphens do. Arabic letters are as in Persian, digits as in English.
        plain := translate(
            plain, E'\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u266f\u0643\u064a'
            '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९',
            E'-------#\u06a9\u06cc012345678901234567890123456789'
        );
        FOR run IN SELECT match[1] FROM regexp_matches(plain, spaceless, 'g') AS match LOOP
            FOR start IN 1 .. greatest(length(run) - 1, 1) LOOP
                pairs := pairs || ' ' || substr(run, start, 2);
            END LOOP;
        END LOOP;
        plain := regexp_replace(plain, signs || '|' || spaceless, ' ', 'g');
    END IF;
    plain := lower(plain);
    IF plain ~ '[#+&]|\mc[ -]?(sharp|plus)|\mnet\M|js\M|\m[a-z][ -]and[ -][a-z]\M' THEN
        plain := regexp_replace(plain, '\m([a-z])(#|[ -]sharp\M)', '\1sharp ', 'g');
        plain := regexp_replace(plain, '\m([a-z])(\+\+|[ -]plus[ -]plus\M)', '\1pp ', 'g');
        plain := regexp_replace(plain, '\m([a-z]+)\.net\M', '\1net \1 dotnet', 'g');
        plain := regexp_replace(plain, '(\.|\mdot[ -])net\M', ' dotnet', 'g');
        plain := regexp_replace(plain, '\m([a-z])( ?& ?|[ -]and[ -])([a-z])\M', '\1n\3', 'g');
        plain := regexp_replace(plain, '\m([a-z][a-z0-9]+)[ .-]?js\M', '\1 \1js', 'g');
    END IF;
    -- On texts of this length, each of these takes a fortieth of the time of translate().
    plain := replace(replace(replace(plain, '-', ' '), '_', ' '), '/', ' ');
    RETURN replace(replace(replace(plain, '.', ' '), ':', ' '), '@', ' ') || pairs;
END $$;

-- A word, and its spellings without accents: those of German (für: fuer) and of others (fur). Many
-- people type other letters at the end of Arabic words (على: علی, رسالة: رساله).
CREATE OR REPLACE FUNCTION catalogue_spellings(word text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    accents CONSTANT text := '[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670]';
    forms text;
BEGIN
    IF word !~ '[\u00c0-\u06ff\u1e00-\u1fff]' THEN
        RETURN ARRAY[word];
    END IF;
    forms := word || ' ' || replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue');
    forms := replace(replace(replace(forms, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
    forms := regexp_replace(normalize(translate(forms, 'øłđðıىة', 'olddiیه'), NFKD), accents, '', 'g');
    RETURN word || array(
        SELECT DISTINCT spelling FROM regexp_split_to_table(forms, ' ') AS spelling
        WHERE spelling <> word
    );
END $$;
'''

LABELS = r'''
-- Labels without case, as filters compare them (contract 8.3).
CREATE OR REPLACE FUNCTION catalogue_keys(labels varchar[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN string_to_array(lower(array_to_string(labels, E'\x1f')), E'\x1f');
END $$;
'''

LOOK_ALIKES = '''
-- The keys of a slug: people take two slugs for each other if they have one in common (contract
-- 28.10). They differ only in 0 and o, 1, l and i, rn and m, hyphens, or the s of a plural.
CREATE OR REPLACE FUNCTION catalogue_look_alike_keys(slug varchar) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    singular text := regexp_replace(slug, 's(?=-|$)', '', 'g');
    -- Without hyphens, only the last word can be told apart.
    forms text := concat_ws(' ', slug, singular, regexp_replace(slug, 's$', ''));
BEGIN
    RETURN string_to_array(
        translate(replace(replace(forms, '-', ''), 'rn', 'm'), '01l', 'oii'), ' '
    );
END $$;
'''

SUCCESSOR = '''
-- The slug of the entry that replaces a deprecated one, as long as it is published. (If it were an
-- SQL function, the planner would parse it for every statement, and try in vain to inline it.)
CREATE OR REPLACE FUNCTION catalogue_{kind}_successor(successor bigint) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT slug FROM catalogue_{kind} WHERE id = successor AND status = 'published');
END $$;
'''

STORED = '''
-- Stores a text once, and returns the digest of its bytes.
CREATE OR REPLACE FUNCTION catalogue_stored(content text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE stored_digest text := catalogue_digest(content);
BEGIN
    INSERT INTO catalogue_filecontent (digest, data)
    VALUES (stored_digest, convert_to(content, 'UTF8')) ON CONFLICT DO NOTHING;
    RETURN stored_digest;
END $$;

-- A stored text or file never changes. It stays as long as any version has it. A purged version
-- has no title.
CREATE OR REPLACE FUNCTION catalogue_filecontent_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT FROM catalogue_skillversion
        WHERE (
            OLD.digest IN (content_digest, skill_md_digest)
            OR files @> jsonb_build_array(jsonb_build_object('digest', OLD.digest))
        ) AND title <> ''
    ) AND NOT EXISTS (
        SELECT FROM catalogue_personaversion
        WHERE content_digest = OLD.digest AND title <> ''
    ) THEN
        RETURN OLD;
    END IF;
    RAISE 'A stored text never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_filecontent_kept
    BEFORE UPDATE OR DELETE ON catalogue_filecontent
    FOR EACH ROW EXECUTE FUNCTION catalogue_filecontent_kept();
'''

VERSIONS = '''
-- The versions of {kind}s. __init__.py replaces the names in braces.

-- Why a {kind} may not be published with a text: the name of the constraint, or NULL. `written` is
-- the digest of what staff wrote. The text that agents get may differ, by a name or a description.
CREATE OR REPLACE FUNCTION catalogue_{kind}_refusal(
    entry bigint, text_digest text, written text DEFAULT NULL
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (
            SELECT FROM catalogue_{kind}
            WHERE id = entry AND status = 'published' AND digest = text_digest
        ) THEN NULL
        WHEN EXISTS (
            SELECT FROM catalogue_purge WHERE kind = '{kind}' AND digest IN (text_digest, written)
        ) AND NOT EXISTS (
            -- It has the text already, which somebody has purged from another {kind}.
            SELECT FROM catalogue_{kind} AS {kind}
            WHERE id = entry AND status = 'published' AND {own_written} = written
        ) THEN 'text_is_not_purged'
        WHEN EXISTS (
            SELECT FROM catalogue_{kind}version
            WHERE {kind}_id = entry AND digest = text_digest AND recalled_at IS NOT NULL
        ) OR EXISTS (
            -- The same was recalled with another name or with other repairs, and never without.
            SELECT FROM catalogue_{kind}version AS version
            JOIN catalogue_filecontent AS stored ON stored.digest IN ({texts})
            WHERE {kind}_id = entry AND recalled_at IS NOT NULL AND {recalled_written} = written
        ) AND NOT EXISTS (
            SELECT FROM catalogue_{kind}version AS version
            JOIN catalogue_filecontent AS stored ON stored.digest = content_digest
            WHERE {kind}_id = entry AND recalled_at IS NULL AND {readable_written} = written
        ) THEN 'text_is_not_recalled'
    END
$$;

-- Sets what follows from the text of a {kind}, whatever the statement says: digest, context tokens
-- and number. If the {kind} is published and its text differs from its newest version, creates the
-- next one. Writes to one {kind} take turns at its row, so no number is used twice.
--
-- Generated columns would be computed again at each update, because of this trigger, and each
-- install updates a counter.
CREATE OR REPLACE FUNCTION catalogue_{kind}_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest_digest text;
    refusal text;
BEGIN
    NEW.digest := {digest};
    NEW.context_tokens := (length(NEW.content) + 3) / 4;
    NEW.number := CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.number END;
    IF NEW.status <> 'published' THEN
        RETURN NEW;
    END IF;
    -- A purge waits for all texts that are being published, and they wait for it.
    PERFORM pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0);
    refusal := catalogue_{kind}_refusal(NEW.id, NEW.digest, {written});
    IF refusal IS NOT NULL THEN
        RAISE 'This text was recalled or purged.'
            USING ERRCODE = 'check_violation', CONSTRAINT = refusal;
    END IF;
    SELECT digest INTO newest_digest FROM catalogue_{kind}version
    WHERE {kind}_id = NEW.id AND number = NEW.number;
    IF newest_digest = NEW.digest THEN
        RETURN NEW;
    END IF;
    NEW.number := NEW.number + 1;
    INSERT INTO catalogue_{kind}version (
        {kind}_id, number, version, title, description, digest, content_digest, context_tokens,
        created_at{columns}
    ) VALUES (
        NEW.id, NEW.number, NEW.version, NEW.title, NEW.description, NEW.digest,
        catalogue_stored(NEW.content), NEW.context_tokens, now(){values}
    );
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER catalogue_{kind}_numbered
    BEFORE INSERT OR UPDATE OF number, digest, context_tokens, status, content{sources}
    ON catalogue_{kind}
    FOR EACH ROW EXECUTE FUNCTION catalogue_{kind}_numbered();

-- A version can be recalled, and the recall lifted. A purge empties a version for good, except for
-- its digest.
CREATE OR REPLACE FUNCTION catalogue_{kind}_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (to_jsonb(OLD) - '{{recalled_at,recall_reason}}'::text[])
            = (to_jsonb(NEW) - '{{recalled_at,recall_reason}}'::text[])
            AND (OLD.title <> '' OR NEW.recalled_at IS NOT NULL)
        THEN
            RETURN NEW;
        END IF;
        IF (to_jsonb(OLD) - '{{recalled_at,recall_reason,version,title,description,{own_texts}}}'::text[])
            = (to_jsonb(NEW) - '{{recalled_at,recall_reason,version,title,description,{own_texts}}}'::text[])
            AND (NEW.version, NEW.title, NEW.description) = ('', '', '')
            AND NEW.recalled_at IS NOT NULL
            AND EXISTS (SELECT FROM catalogue_purge WHERE kind = '{kind}' AND digest = OLD.digest)
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE 'A version never changes.' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER catalogue_{kind}_version_kept
    BEFORE UPDATE OR DELETE ON catalogue_{kind}version
    FOR EACH ROW EXECUTE FUNCTION catalogue_{kind}_version_kept();
'''

# What the versions of each kind consist of, as catalogue/schema/__init__.py has it.
SKILL_VERSIONS = VERSIONS.format(
    kind='skill',
    digest="catalogue_digest(coalesce(nullif(NEW.skill_md, ''), NEW.content), NEW.files)",
    written='catalogue_digest(catalogue_written(NEW.content), NEW.files)',
    own_written='catalogue_digest(catalogue_written(skill.content), skill.files)',
    texts='content_digest, skill_md_digest',
    recalled_written="catalogue_digest(catalogue_written(convert_from(stored.data, 'UTF8')), version.files)",
    readable_written="catalogue_digest(catalogue_written(convert_from(stored.data, 'UTF8')), version.files)",
    columns=', skill_md_digest, files, archive_digest',
    values=", catalogue_stored(coalesce(nullif(NEW.skill_md, ''), NEW.content)), NEW.files, NEW.archive_digest",
    sources=', skill_md, files',
    own_texts='files',
)
PERSONA_VERSIONS = VERSIONS.format(
    kind='persona',
    digest='catalogue_digest(NEW.frontmatter || NEW.content)',
    written=r"catalogue_digest(rtrim(catalogue_written(NEW.content), E'\n'))",
    own_written=r"catalogue_digest(rtrim(catalogue_written(persona.content), E'\n'))",
    texts='content_digest',
    recalled_written=r"catalogue_digest(rtrim(catalogue_written(version.frontmatter || convert_from(stored.data, 'UTF8')), E'\n'))",
    readable_written=r"catalogue_digest(rtrim(catalogue_written(convert_from(stored.data, 'UTF8')), E'\n'))",
    columns=', frontmatter',
    values=', NEW.frontmatter',
    sources=', frontmatter',
    own_texts='frontmatter',
)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # Indexes need these.
        migrations.RunSQL(DIGEST, 'DROP FUNCTION catalogue_digest(text), catalogue_digest(text, jsonb), catalogue_written'),
        migrations.RunSQL(PLAIN, 'DROP FUNCTION catalogue_plain, catalogue_spellings'),
        migrations.RunSQL(LABELS, 'DROP FUNCTION catalogue_keys'),
        migrations.RunSQL(LOOK_ALIKES, 'DROP FUNCTION catalogue_look_alike_keys'),
        migrations.CreateModel(
            name='FileContent',
            fields=[
                ('digest', models.CharField(max_length=71, primary_key=True, serialize=False)),
                ('data', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Skill',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('checked_number', models.PositiveIntegerField(editable=False, null=True)),
                ('checked_at', models.DateTimeField(editable=False, null=True)),
                ('findings', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), blank=True, editable=False, null=True, size=None)),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('number', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000, verbose_name='recall reason')),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('deprecated_at', models.DateTimeField(editable=False, null=True)),
                ('source', models.TextField(blank=True, help_text='Where the entry was imported from. Commands find it by this, uploads by its slug first.')),
                ('former_source', models.TextField(blank=True, db_default='', default='', editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('digest', models.CharField(blank=True, db_default='', default='', editable=False, max_length=71)),
                ('context_tokens', models.IntegerField(db_default=0, default=0, editable=False)),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('skill_md', models.TextField(blank=True, db_default='', default='', editable=False)),
                ('files', models.JSONField(db_default=[], default=list, editable=False)),
                ('archive_digest', models.CharField(blank=True, db_default='', default='', editable=False, max_length=71)),
                ('downloads', models.PositiveBigIntegerField(default=0, editable=False)),
                ('successor', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_newest'),
                    models.Index(models.OrderBy(models.F('updated_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_updated'),
                    models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('title'), 'C'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='skill_name'),
                    models.Index(models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_downloads'),
                    models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_category_key'),
                    models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_author_key'),
                    models.Index(django.db.models.functions.text.Lower('license'), models.OrderBy(models.F('downloads'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='skill_license_key'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), models.Func('runtimes', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='skill_label_keys'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('slug', function='catalogue_look_alike_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='skill_look_alike'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('findings__overlap', ['hidden-text', 'long-gap', 'secret', 'unreadable-file'])), fields=['findings'], name='skill_findings'),
                    models.Index(models.F('successor'), condition=models.Q(('successor__isnull', False)), name='skill_successor'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('source', ''), _negated=True), fields=['source'], name='skill_source'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('former_source', ''), _negated=True), fields=['former_source'], name='skill_former_source'),
                    models.Index(models.OrderBy(models.F('withdrawn_at'), descending=True), condition=models.Q(('status', 'withdrawn'), models.Q(('withdrawal_reason', ''), _negated=True)), name='skill_recalled'),
                    models.Index(models.OrderBy(models.F('deprecated_at'), descending=True), condition=models.Q(('deprecated_at__isnull', False)), name='skill_deprecated'),
                    models.Index(models.F('status'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_status'),
                    models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_category_key'),
                    models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_author_key'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_names'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published'), _negated=True), name='skill_off_tag_keys'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='unique_skill_slug'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_skill_public_id'),
                    models.CheckConstraint(condition=models.Q(('successor', None), models.Q(models.Q(('deprecation_message', ''), _negated=True), models.Q(('successor', models.F('id')), _negated=True)), _connector='OR'), name='skill_successor_of_deprecated'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Persona',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('checked_number', models.PositiveIntegerField(editable=False, null=True)),
                ('checked_at', models.DateTimeField(editable=False, null=True)),
                ('findings', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=32), blank=True, editable=False, null=True, size=None)),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('number', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000, verbose_name='recall reason')),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('deprecated_at', models.DateTimeField(editable=False, null=True)),
                ('source', models.TextField(blank=True, help_text='Where the entry was imported from. Commands find it by this, uploads by its slug first.')),
                ('former_source', models.TextField(blank=True, db_default='', default='', editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('digest', models.CharField(blank=True, db_default='', default='', editable=False, max_length=71)),
                ('context_tokens', models.IntegerField(db_default=0, default=0, editable=False)),
                ('public_id', models.CharField(editable=False, max_length=40)),
                ('price_cents', models.PositiveIntegerField(default=0, help_text='0 means free. Agents cannot install a persona that has a price.')),
                ('frontmatter', models.TextField(blank=True, db_default='', default='', help_text='What clients get that run the persona as a subagent: YAML with fields such as tools, model or color. Without it, they get the name and the description above.')),
                ('installs', models.PositiveBigIntegerField(default=0, editable=False)),
                ('rating_sum', models.DecimalField(decimal_places=2, default=0, editable=False, max_digits=14)),
                ('rating_count', models.PositiveIntegerField(default=0, editable=False)),
                ('rating_avg', models.GeneratedField(db_persist=True, expression=django.db.models.functions.math.Round(django.db.models.expressions.CombinedExpression(models.F('rating_sum'), '/', django.db.models.functions.comparison.NullIf(models.F('rating_count'), models.Value(0))), precision=2), output_field=models.DecimalField(decimal_places=2, max_digits=4, null=True))),
                ('successor', models.ForeignKey(db_index=False, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalogue.persona')),
                ('skills', models.ManyToManyField(blank=True, related_name='personas', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_newest'),
                    models.Index(models.OrderBy(models.F('updated_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_updated'),
                    models.Index(django.db.models.functions.comparison.Collate(django.db.models.functions.text.Lower('title'), 'C'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='persona_name'),
                    models.Index(models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_installs'),
                    models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_category_key'),
                    models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_author_key'),
                    models.Index(django.db.models.functions.text.Lower('license'), models.OrderBy(models.F('installs'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), name='persona_license_key'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), models.Func('runtimes', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='persona_label_keys'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('slug', function='catalogue_look_alike_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published')), name='persona_look_alike'),
                    django.contrib.postgres.indexes.GinIndex(condition=models.Q(('findings__overlap', ['hidden-text', 'long-gap', 'secret', 'unreadable-file'])), fields=['findings'], name='persona_findings'),
                    models.Index(models.F('successor'), condition=models.Q(('successor__isnull', False)), name='persona_successor'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('source', ''), _negated=True), fields=['source'], name='persona_source'),
                    django.contrib.postgres.indexes.HashIndex(condition=models.Q(('former_source', ''), _negated=True), fields=['former_source'], name='persona_former_source'),
                    models.Index(models.OrderBy(models.F('withdrawn_at'), descending=True), condition=models.Q(('status', 'withdrawn'), models.Q(('withdrawal_reason', ''), _negated=True)), name='persona_recalled'),
                    models.Index(models.OrderBy(models.F('deprecated_at'), descending=True), condition=models.Q(('deprecated_at__isnull', False)), name='persona_deprecated'),
                    models.Index(models.F('status'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_status'),
                    models.Index(django.db.models.functions.text.Lower('category'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_category_key'),
                    models.Index(django.db.models.functions.text.Lower('author'), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_author_key'),
                    django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.search.SearchVector(models.Func(django.db.models.functions.text.Concat('title', models.Value(' '), 'slug'), function='catalogue_plain', output_field=models.TextField()), config='simple'), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_names'),
                    django.contrib.postgres.indexes.GinIndex(models.Func('tags', function='catalogue_keys', output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), condition=models.Q(('status', 'published'), _negated=True), name='persona_off_tag_keys'),
                    models.Index(models.OrderBy(django.db.models.functions.comparison.Coalesce('rating_avg', models.Value(0), output_field=models.DecimalField(decimal_places=2, max_digits=4, null=True)), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('status', 'published')), include=('rating_avg',), name='persona_rating'),
                    models.Index(models.F('price_cents'), django.db.models.expressions.CombinedExpression(models.F('id'), '*', models.Value(-1)), condition=models.Q(('status', 'published')), name='persona_price'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='unique_persona_slug'),
                    models.UniqueConstraint(fields=('public_id',), name='unique_persona_public_id'),
                    models.CheckConstraint(condition=models.Q(('successor', None), models.Q(models.Q(('deprecation_message', ''), _negated=True), models.Q(('successor', models.F('id')), _negated=True)), _connector='OR'), name='persona_successor_of_deprecated'),
                    models.CheckConstraint(condition=models.Q(('rating_count__gte', 0), ('rating_sum__gte', 0)), name='ratings_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HistoricalPersona',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000, verbose_name='recall reason')),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('price_cents', models.PositiveIntegerField(default=0, help_text='0 means free. Agents cannot install a persona that has a price.')),
                ('frontmatter', models.TextField(blank=True, db_default='', default='', help_text='What clients get that run the persona as a subagent: YAML with fields such as tools, model or color. Without it, they get the name and the description above.')),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('successor', models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
            ],
            options={
                'verbose_name': 'historical persona',
                'verbose_name_plural': 'historical personas',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='Purge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=7)),
                ('digest', models.CharField(max_length=71)),
                ('reason', models.CharField(max_length=1000)),
                ('purged_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'digest'), name='unique_purge')],
            },
        ),
        migrations.CreateModel(
            name='HistoricalSkill',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('slug', models.CharField(max_length=100, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(?:-[a-z0-9]+)*\\Z', 'Use a-z, 0-9 and single hyphens between them, such as pdf-tables.')])),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('category', models.CharField(blank=True, max_length=64)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('runtimes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=64), blank=True, default=list, size=None, validators=[django.contrib.postgres.validators.ArrayMaxLengthValidator(50)])),
                ('author', models.CharField(blank=True, max_length=200)),
                ('version', models.CharField(blank=True, max_length=64)),
                ('license', models.CharField(blank=True, max_length=300)),
                ('content', models.TextField()),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('published', 'Published'), ('withdrawn', 'Withdrawn')], default='draft', max_length=9)),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('withdrawal_reason', models.CharField(blank=True, editable=False, max_length=1000, verbose_name='recall reason')),
                ('deprecation_message', models.CharField(blank=True, db_default='', editable=False, max_length=1000)),
                ('files', models.JSONField(db_default=[], default=list, editable=False)),
                ('history_change_reason', models.TextField(default='')),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('successor', models.ForeignKey(blank=True, db_constraint=False, editable=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.skill')),
            ],
            options={
                'verbose_name': 'historical skill',
                'verbose_name_plural': 'historical skills',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalPersona_skills',
            fields=[
                ('id', models.BigIntegerField(auto_created=True, blank=True, db_index=True, verbose_name='ID')),
                ('m2m_history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='catalogue.historicalpersona')),
                ('persona', models.ForeignKey(blank=True, db_constraint=False, db_tablespace='', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.persona')),
                ('skill', models.ForeignKey(blank=True, db_constraint=False, db_tablespace='', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='catalogue.skill')),
            ],
            options={
                'verbose_name': 'HistoricalPersona_skills',
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='SkillVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('version', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('digest', models.CharField(max_length=71)),
                ('content_digest', models.CharField(max_length=71)),
                ('context_tokens', models.IntegerField()),
                ('created_at', models.DateTimeField()),
                ('recalled_at', models.DateTimeField(null=True)),
                ('recall_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('skill_md_digest', models.CharField(max_length=71)),
                ('files', models.JSONField()),
                ('archive_digest', models.CharField(max_length=71)),
                ('skill', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='catalogue.skill')),
            ],
            options={
                'ordering': ['-number'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number', 1)), name='skill_version_first'),
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number__gt', 1)), name='skill_version_later'),
                    models.Index(models.OrderBy(models.F('recalled_at'), descending=True), condition=models.Q(('recalled_at__isnull', False)), name='skill_version_recalled'),
                ],
                'constraints': [models.UniqueConstraint(models.F('skill'), models.OrderBy(models.F('number'), descending=True), name='unique_skill_number')],
            },
        ),
        migrations.CreateModel(
            name='PersonaVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('version', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('digest', models.CharField(max_length=71)),
                ('content_digest', models.CharField(max_length=71)),
                ('context_tokens', models.IntegerField()),
                ('created_at', models.DateTimeField()),
                ('recalled_at', models.DateTimeField(null=True)),
                ('recall_reason', models.CharField(blank=True, db_default='', max_length=1000)),
                ('frontmatter', models.TextField(blank=True, db_default='', default='')),
                ('persona', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='catalogue.persona')),
            ],
            options={
                'ordering': ['-number'],
                'abstract': False,
                'indexes': [
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number', 1)), name='persona_version_first'),
                    models.Index(models.OrderBy(models.F('created_at'), descending=True), condition=models.Q(('number__gt', 1)), name='persona_version_later'),
                    models.Index(models.OrderBy(models.F('recalled_at'), descending=True), condition=models.Q(('recalled_at__isnull', False)), name='persona_version_recalled'),
                ],
                'constraints': [models.UniqueConstraint(models.F('persona'), models.OrderBy(models.F('number'), descending=True), name='unique_persona_number')],
            },
        ),
        migrations.RunSQL(SUCCESSOR.format(kind='skill'), 'DROP FUNCTION catalogue_skill_successor'),
        migrations.RunSQL(SUCCESSOR.format(kind='persona'), 'DROP FUNCTION catalogue_persona_successor'),
        migrations.RunSQL(STORED, 'DROP FUNCTION catalogue_stored, catalogue_filecontent_kept CASCADE'),
        migrations.RunSQL(SKILL_VERSIONS, 'DROP FUNCTION catalogue_skill_refusal, catalogue_skill_numbered, catalogue_skill_version_kept CASCADE'),
        migrations.RunSQL(PERSONA_VERSIONS, 'DROP FUNCTION catalogue_persona_refusal, catalogue_persona_numbered, catalogue_persona_version_kept CASCADE'),
    ]
