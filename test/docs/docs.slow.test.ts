/**
 * The documents are true: their commands run, their snippets compile and run, and their links lead
 * somewhere.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { loadSettings } from '../../src/config/load-settings.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import { anchors, checkout, codeSpans, documents, links, parse } from './markdown.ts';
import type { Document } from './markdown.ts';
import { NOT_RUN, commandsOf, exceptionFor, typeAll } from './shell-script.ts';
import { runSnippet, typeCheck } from './snippets.ts';

const all = documents();
const INFOS = ['sh', 'ts', 'yaml', 'text', 'mermaid'];
const WITHIN = { timeout: 300_000 };

function blocksOf(info: string): { readonly where: string; readonly text: string }[] {
  return all.flatMap(({ path, blocks }) =>
    blocks
      .filter((block) => block.info === info)
      .map(({ line, text }) => ({ where: `${path}:${line}`, text })),
  );
}

describe('every document', () => {
  test('is read', () => {
    const missing = [
      'README.md',
      'docs/guide/running.md',
      'docs/adr/0001-reducer-engine.md',
    ].filter((wanted) => !all.some(({ path }) => path === wanted));
    assert.deepEqual(missing, []);
  });

  test('names the kind of each block, so that none is left untested by accident', () => {
    const strange = all.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ info }) => !INFOS.includes(info))
        .map(({ line, info }) => `${path}:${line}: "${info}"`),
    );
    assert.deepEqual(strange, []);
  });

  test('links to files and headings that exist', () => {
    assert.deepEqual(all.flatMap(brokenLinks), []);
  });

  test('names files of the checkout that exist', () => {
    const named = all.flatMap(({ path, prose }) =>
      codeSpans(prose)
        .filter((span) => /^(src|test|bench|scripts|bin|docs)\/[\w./-]+$/.test(span))
        .map((span) => ({ path, span })),
    );
    assert.ok(named.length > 30, `only ${named.length} found: the reader is broken`);
    assert.deepEqual(
      named.filter(({ span }) => !existsSync(join(checkout, span))),
      [],
    );
  });
});

function brokenLinks(document: Document): readonly string[] {
  return links(document).flatMap((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? document.path : join(dirname(document.path), file);
    if (!existsSync(join(checkout, target))) return [`${document.path}: ${link}`];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    const there = anchors(parse(target, readFileSync(join(checkout, target), 'utf8')));
    return there.includes(anchor) ? [] : [`${document.path}: ${link}: no such heading`];
  });
}

describe('the commands that are typed', { concurrency: 2 }, () => {
  for (const document of all) {
    const lines = commandsOf(document);
    if (lines.every((line) => exceptionFor(line) !== undefined)) continue;
    test(`in ${document.path} end with the documented exit code`, WITHIN, async () => {
      await using harness = await CliHarness.create();
      const { code, stdout, stderr } = await typeAll(harness, lines);
      assert.equal(code, 0, stdout + stderr);
    });
  }

  test('the commands that are not run are few, and each entry is in use', () => {
    const used = all.flatMap(commandsOf).flatMap((line) => exceptionFor(line) ?? []);
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(NOT_RUN).toSorted());
  });

  test('a line with another exit code than documented is found', WITHIN, async () => {
    await using harness = await CliHarness.create();
    const document = parse('x.md', '```sh\ntrue\nfalse # exit 1\n\nsupervisor nonsense\n```\n');
    const { code, stderr } = await typeAll(harness, commandsOf(document));
    assert.deepEqual([code, stderr.includes('x.md:5: ended with 2, not 0')], [99, true]);
  });

  test('name scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      scripts: object;
    };
    // A `text` block may show the scripts of another project.
    const ours = all.map(({ text }) => text.replaceAll(/^```text\n.*?^```$/gms, ''));
    const named = ours.flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)]);
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.map(([, name = '']) => name).filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });
});

/** Strategies and roles: `src/context/guide.test.ts` loads the former, `test/roles` the latter. */
const OTHER_YAML = /^docs\/guide\/(context|features|graphs|roles|workflows)\.md:/;

describe('the snippets', () => {
  test('in TypeScript compile, and run to their end', WITHIN, async () => {
    const snippets = blocksOf('ts');
    assert.ok(snippets.length >= 2);
    await using harness = await CliHarness.create();
    const files = snippets.map((_, index) => `snippet-${index + 1}.ts`);
    for (const [index, { text }] of snippets.entries())
      writeFileSync(join(harness.project, `snippet-${index + 1}.ts`), text);
    const checked = await typeCheck(harness, files);
    assert.equal(checked.code, 0, checked.stdout);
    for (const [index, { where }] of snippets.entries()) {
      await using own = await CliHarness.create();
      const { code, stderr } = await runSnippet(own, join(harness.project, files[index] ?? ''));
      assert.deepEqual([where, code, stderr], [where, 0, '']);
    }
  });

  test('in YAML load as configuration', async () => {
    const files = blocksOf('yaml').filter(({ where }) => !OTHER_YAML.test(where));
    assert.ok(files.length >= 5);
    for (const { where, text } of files) {
      const readFile = (path: string): Promise<string | undefined> =>
        Promise.resolve(path === '/h/config.yaml' ? text : undefined);
      await assert.doesNotReject(loadSettings({ home: '/h', userDir: '/u', readFile }), where);
    }
  });
});
