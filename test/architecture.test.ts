/**
 * The walls of the house. A folder imports only from smaller layers, a dependency has one owner,
 * and what touches the machine stays where it is allowed. The tables are the documentation:
 * ARCHITECTURE.md shows the same ones.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');

const LAYERS: Readonly<Record<string, number>> = {
  base: 0,
  protocol: 1,
  host: 1,
  yaml: 1,
  trust: 2,
  config: 3,
  store: 3,
  agents: 3,
  sandbox: 3,
  workspace: 3,
  gateway: 3,
  redaction: 3,
  roles: 3,
  prompts: 3,
  context: 3,
  brief: 4,
  doctor: 4,
  engine: 4,
  attempts: 5,
  supervision: 5,
  monitors: 5,
  lifecycle: 6,
  daemon: 7,
  server: 8,
  client: 9,
  cli: 10,
};

/**
 * State and steps are the owner's: a face that opened them would be a second owner. What only reads
 * files or computes (settings, roles, contexts, classifying an end) works without an owner.
 */
const HIDDEN_FROM_FACES: Readonly<Record<string, readonly string[]>> = {
  cli: ['store', 'engine', 'gateway', 'workspace', 'supervision', 'daemon', 'server'],
};

/** Each npm dependency belongs to one folder; `testing` may use any of them. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  zod: ['protocol'],
  yaml: ['yaml'],
  hono: ['server'],
  '@hono/node-server': ['server'],
  commander: ['cli'],
  '@secretlint/core': ['redaction'],
  '@secretlint/secretlint-rule-preset-recommend': ['redaction'],
  '@clack/prompts': ['cli'],
  'gpt-tokenizer': ['context'],
  'oxc-parser': ['context'],
  'web-tree-sitter': ['context'],
  '@vscode/tree-sitter-wasm': ['context'],
};

/** Folders that may touch the machine. Everything else is values in, values out, through ports. */
const MACHINE = new Set([
  'agents/scripted/programs', // processes of their own, never imported
  'gateway', // a network server: sockets, hashes and packed streams are what it is made of
  'host',
  'sandbox/probes', // plants files, listeners and a process for a sandbox to leave alone
  'store/sqlite',
  'server',
  'client',
  'cli',
  'testing',
]);
/** These compute and touch nothing, so they are allowed anywhere. */
const PURE_NODE = new Set([
  'node:path',
  'node:path/posix',
  'node:assert/strict',
  'node:assert',
  'node:url',
  'node:buffer',
]);

/** Imports that the table forbids and a reason allows. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  // `agents check` tries real CLIs on the published model server, which no other command loads.
  'cli/run-canary.ts → testing/model-server/server.ts',
]);

type Import = { readonly file: string; readonly specifier: string };

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function importsOf(file: string, text: string): Import[] {
  const found = text.matchAll(
    /^(?:import|export)\s(?:[\w\s*{},]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm,
  );
  return [...found].map(([, fixed, dynamic]) => ({ file, specifier: fixed ?? dynamic ?? '' }));
}

function roomOf(file: string): string {
  return relative(src, file).split(sep)[0] ?? '';
}

/** What is wrong with one import, or undefined. */
function objection({ file, specifier }: Import): string | undefined {
  const room = roomOf(file);
  const isTest = file.endsWith('.test.ts');
  if (room === 'testing' || room === 'index.ts') return undefined;
  if (specifier.startsWith('node:')) {
    const allowed =
      isTest ||
      PURE_NODE.has(specifier) ||
      [...MACHINE].some((folder) => relative(src, file).startsWith(folder + sep));
    return allowed ? undefined : `${room} touches the machine through ${specifier}`;
  }
  if (!specifier.startsWith('.')) {
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    if (isTest && name === 'fast-check') return undefined;
    return OWNERS[name]?.includes(room) === true
      ? undefined
      : `${room} may not use the package ${name}`;
  }
  const target = resolve(dirname(file), specifier);
  const targetRoom = roomOf(target);
  if (targetRoom === room) return undefined;
  if (EXCEPTIONS.has(`${relative(src, file)} → ${relative(src, target)}`)) return undefined;
  if (targetRoom === 'testing') {
    return isTest ? undefined : `${room} imports testing, which is for tests only`;
  }
  if (HIDDEN_FROM_FACES[room]?.includes(targetRoom) === true)
    return `${room} is a face and may not import ${targetRoom}`;
  const [here, there] = [LAYERS[room], LAYERS[targetRoom]];
  if (here === undefined || there === undefined)
    return `${room} → ${targetRoom}: a room without a layer`;
  return there < here ? undefined : `${room} (${here}) may not import ${targetRoom} (${there})`;
}

describe('the walls of the house', () => {
  test('every room has a layer', () => {
    const rooms = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const unknown = rooms
      .map(({ name }) => name)
      .filter((name) => name !== 'testing' && LAYERS[name] === undefined);
    assert.deepEqual(unknown, []);
  });

  test('every import goes down, to an owned package, or to an allowed part of the machine', () => {
    const imports = sources(src).flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
    assert.ok(imports.length > 30, `only ${imports.length} imports found: the reader is broken`);
    const objections = imports.flatMap((one) => {
      const why = objection(one);
      return why === undefined ? [] : [`${relative(root, one.file)}: ${why}`];
    });
    assert.deepEqual(objections, []);
  });

  const refused: [why: string, file: string, specifier: string][] = [
    ['an upward import', 'base/ids.ts', '../engine/engine.ts'],
    ['a neighbour of the same layer', 'store/journal.ts', '../config/load.ts'],
    ['a package of another room', 'store/journal.ts', 'hono'],
    ['the machine from a decision', 'attempts/decide.ts', 'node:fs'],
    ['testing from the product', 'engine/engine.ts', '../testing/manual-clock.ts'],
    ['an owner that imports a face', 'daemon/owner.ts', '../cli/main.ts'],
    ['a face that opens the store', 'cli/reach.ts', '../store/sqlite/sqlite-journal.ts'],
    ['a face that is the owner', 'cli/commands/run.ts', '../../daemon/owner.ts'],
  ];
  for (const [why, file, specifier] of refused) {
    test(`${why} is refused`, () => {
      assert.notEqual(objection({ file: join(src, file), specifier }), undefined);
    });
  }

  test('the reader sees static, type, re-exported and dynamic imports', () => {
    const text = `import a from './a.ts';\nimport type { B } from "./b.ts";\nexport { c } from './c.ts';\nconst d = await import('./d.ts');\nimport {\n  e,\n} from './e.ts';`;
    assert.deepEqual(
      importsOf('x', text).map(({ specifier }) => specifier),
      ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts'],
    );
  });
});
