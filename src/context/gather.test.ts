import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryProject } from '../../test/support/memory-project.ts';
import { isRefusal } from '../base/errors.ts';
import { gather } from './gather.ts';
import type { ContextRequest, GatherOptions } from './gather.ts';
import { parseStrategy, PLAIN_STRATEGY } from './strategy.ts';
import type { ContextStrategy } from './strategy.ts';

const nothing: ContextRequest = {
  include: [],
  alwaysInclude: [],
  exclude: [],
  gitDiff: false,
  blind: false,
};

const files = {
  'README.md': '# R',
  'src/a.ts': "import { b } from './b.ts';\nexport function a(): void { b(); }",
  'src/b.ts': 'export function b(): void { secretWay(); }',
  'src/types.ts': 'export type T = 1;',
  'src/a.test.ts': 'test();',
  'other/c.ts': 'export const c = 1;',
  'package-lock.json': '{}',
  'logo.svg': 'x\0y',
};

type More = Omit<Partial<GatherOptions>, 'request'> & {
  readonly request?: Partial<ContextRequest>;
};

/** Each fragment as `part tag name = text or reason`. */
async function gathered({ request, ...more }: More): Promise<readonly string[]> {
  const { pieces } = await gather({
    view: memoryProject(files),
    strategy: PLAIN_STRATEGY,
    targets: [],
    ...more,
    request: { ...nothing, ...request },
  });
  return Promise.all(
    pieces.map(async ({ part, tag, name, load }) => {
      const loaded = await load();
      const shown =
        loaded.kind === 'text'
          ? loaded.text
          : loaded.kind === 'left-out'
            ? `(${loaded.why})`
            : '()';
      return `${part} ${tag} ${name} = ${shown}`;
    }),
  );
}

function strategy(text: string): ContextStrategy {
  return parseStrategy('s', 's.yaml', `description: d\n${text}`);
}

describe('a role gets', () => {
  test('its targets, their imports, and the files that it includes', async () => {
    const request = {
      include: ['$TARGET', '$TARGET_IMPORTS', 'README.md'],
      alwaysInclude: ['other/**'],
    };
    assert.deepEqual(await gathered({ request, targets: ['src/a.ts'] }), [
      'always file other/c.ts = export const c = 1;',
      `target_file file src/a.ts = ${files['src/a.ts']}`,
      `imports file src/b.ts = ${files['src/b.ts']}`,
      'related file README.md = # R',
    ]);
  });

  test('no excluded or useless file, but a reason for each of them', async () => {
    const request = { include: ['**/*'], exclude: ['src/**', 'other/'] };
    assert.deepEqual(
      (await gathered({ request })).filter((line) => line.endsWith(')')),
      [
        'related file logo.svg = (binary)',
        'related file other/c.ts = (excluded)',
        'related file package-lock.json = (lock file)',
        'related file src/a.test.ts = (excluded)',
        'related file src/a.ts = (excluded)',
        'related file src/b.ts = (excluded)',
        'related file src/types.ts = (excluded)',
      ],
    );
  });

  test('a lock file if it names that file', async () => {
    assert.deepEqual(await gathered({ request: { include: ['package-lock.json'] } }), [
      'related file package-lock.json = {}',
    ]);
  });

  test('the files nearest to its targets first', async () => {
    const lines = await gathered({ request: { include: ['**/*.ts'] }, targets: ['other'] });
    assert.match(lines[0] ?? '', /^related file other\/c\.ts/);
  });

  test('only interfaces if it is blind: no body and no change of a body', async () => {
    const diff = `diff --git a/src/b.ts b/src/b.ts\n+secretWay\ndiff --git a/README.md b/README.md\n+R\n`;
    const lines = await gathered({
      view: memoryProject(files, { diff }),
      targets: ['src'],
      request: {
        blind: true,
        gitDiff: true,
        include: ['$COMPONENT_PUBLIC_API', '$INTERFACE_DEFINITIONS', '$TARGET', 'src/a.test.ts'],
      },
    });
    assert.deepEqual(
      new Set(lines),
      new Set([
        'git_diff diff src/b.ts = (no public part that can be shown)',
        'git_diff diff README.md = diff --git a/README.md b/README.md\n+R',
        'target_file interface src/a.ts = export function a(): void;\n',
        'target_file interface src/b.ts = export function b(): void;\n',
        'target_file interface src/types.ts = export type T = 1;\n',
        'related interface src/types.ts = export type T = 1;\n',
        'target_file file src/a.test.ts = test();',
        'related file src/a.test.ts = test();',
      ]),
    );
    assert.doesNotMatch(lines.join('\n'), /secretWay/);
  });

  test('a public interface if it includes one, even if it is not blind', async () => {
    const lines = await gathered({
      targets: ['src/b.ts'],
      request: { include: ['$COMPONENT_PUBLIC_API'] },
    });
    assert.deepEqual(lines, ['target_file interface src/b.ts = export function b(): void;\n']);
  });

  test('the plan, even if its strategy has no step for it', async () => {
    assert.deepEqual(await gathered({ plan: 'P' }), ['plan plan plan = P']);
  });
});

async function runCommand(command: string): Promise<string> {
  return command === 'x' ? 'OUT' : 'src/b.ts\n/etc/passwd\n../up\n';
}

describe('a strategy', () => {
  const staged = {
    'src/a.ts': { before: 'old', after: 'new' },
    'src/new.ts': { before: null, after: 'added' },
    'src/gone.ts': { before: 'gone', after: null },
    'package-lock.json': { before: '{}', after: '{ }' },
  };
  const diff =
    'diff --git a/src/a.ts b/src/a.ts\n-old\n+new\ndiff --git a/package-lock.json b/package-lock.json\n+x\n';

  test('shows a change to a reviewer with hashes, diff and the whole staged files', async () => {
    const lines = await gathered({
      view: memoryProject(files, { staged, diff }),
      plan: 'PLAN',
      strategy: strategy(
        'algorithm: [plan: {part: plan}, changes: {part: changes}, diff: {part: d, of: git diff --cached}, changed_files: {part: f}]',
      ),
    });
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/[0-9a-f]{64}/g, 'HASH')),
      [
        'plan plan plan = PLAN',
        'changes changes staged = changed "src/a.ts" HASH -> HASH\nadded "src/new.ts" - -> HASH\ndeleted "src/gone.ts" HASH -> -\nchanged "package-lock.json" HASH -> HASH',
        'd diff src/a.ts = diff --git a/src/a.ts b/src/a.ts\n-old\n+new',
        'd diff package-lock.json = (lock file)',
        'f file src/a.ts = new',
        'f file src/new.ts = added',
        'f file package-lock.json = (lock file)',
      ],
    );
  });

  test('shows prepended parts first, and conditional parts only if their input is given', async () => {
    const text =
      'algorithm: [tree: {part: t, depth: 1}, diff: {part: d, if: git_diff, prepend: true}, plan: {part: p, if: plan}]';
    const view = memoryProject(files, { diff });
    assert.deepEqual(
      (await gathered({ view, strategy: strategy(text), request: { gitDiff: true } })).map((line) =>
        line.slice(0, 8),
      ),
      ['d diff s', 'd diff p', 't tree f'],
    );
    assert.deepEqual(await gathered({ view, strategy: strategy(text) }), [
      't tree files = README.md\nlogo.svg\nother/ (1 file)\npackage-lock.json\nsrc/ (4 files)',
    ]);
  });

  test('that needs a target is refused without one', () =>
    assert.rejects(
      gathered({ strategy: strategy('inputs: {required: [target]}') }),
      (error) =>
        isRefusal(error, 'usage.invalid') &&
        error.message === 'The strategy s needs --target FILE.',
    ));

  test('can run a command in a sandbox, for text or for file names', async () => {
    const runs = strategy(
      'algorithm: [command: {part: c, run: x}, command: {part: f, run: y, gives: files}]',
    );
    assert.deepEqual(await gathered({ strategy: runs, runCommand }), [
      'c output x = OUT',
      `f file src/b.ts = ${files['src/b.ts']}`,
    ]);
    await assert.rejects(gathered({ strategy: runs }), /runs "x", but there is no sandbox/);
  });

  test('that includes a git diff needs no sandbox for it', async () => {
    const asks = strategy('algorithm: [command: {part: d, run: git diff --cached}]');
    const lines = await gathered({ view: memoryProject(files, { diff }), strategy: asks });
    assert.equal(lines.length, 2);
  });

  const faulty: [why: string, text: string, message: RegExp][] = [
    [
      'two kinds in one step',
      'algorithm: [{plan: {part: a}, tree: {part: b}}]',
      /s\.yaml:2:13: algorithm\[0\]: expected one of pack, diff/,
    ],
    ['an unknown key', 'algorithm: [pack: {part: a, includes: []}]', /unknown key "includes"/],
    [
      'a way out',
      'algorithm: [pack: {part: a, include: [../x]}]',
      /expected a path or pattern inside/,
    ],
    ['a name that differs from its file', 'name: t', /name: expected "s"/],
  ];
  for (const [why, text, message] of faulty) {
    test(`with ${why} is refused`, () => assert.throws(() => strategy(text), message));
  }
});

async function targetsOf(...targets: string[]): Promise<readonly string[]> {
  const view = memoryProject(files);
  return (await gather({ view, request: nothing, strategy: PLAIN_STRATEGY, targets })).targets;
}

describe('a target', () => {
  test('can be a file, a folder or a pattern', async () => {
    assert.deepEqual(await targetsOf('src/b.ts', 'other', 'src/a.*'), [
      'src/b.ts',
      'other/c.ts',
      'src/a.test.ts',
      'src/a.ts',
    ]);
  });

  test('that does not exist is refused with the nearest name', () =>
    assert.rejects(
      gathered({ targets: ['src/aa.ts'] }),
      /There is no file "src\/aa.ts" in the project \(did you mean "src\/a.ts"\?\)/,
    ));
});
