/**
 * The rules of the architecture. A folder imports only from smaller layers, a dependency has one
 * owner, and only listed folders touch the machine. ARCHITECTURE.md shows the same tables.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const web = join(root, 'web', 'src');

const LAYERS: Readonly<Record<string, number>> = {
  base: 0,
  protocol: 1,
  host: 1,
  yaml: 1,
  toml: 1,
  redaction: 1,
  settings: 2,
  prices: 2,
  approvers: 2,
  trust: 2,
  store: 2,
  adapters: 2,
  supervision: 2,
  reports: 2,
  'test-reports': 2,
  workspace: 2,
  detection: 2,
  turns: 2,
  hooks: 2,
  config: 3,
  sandbox: 3,
  gateway: 3,
  packs: 3,
  roles: 3,
  prompts: 3,
  context: 3,
  engine: 3,
  steering: 3,
  'public-json': 3,
  metrics: 3,
  brief: 4,
  mutants: 4,
  'workflow-files': 4,
  doctor: 4,
  failures: 4,
  approvals: 4,
  messages: 4,
  'shared-folder': 4,
  capsule: 4,
  schedules: 4,
  attempts: 5,
  monitors: 5,
  agents: 6,
  workflow: 6,
  plan: 6,
  limits: 6,
  execution: 7,
  gates: 8,
  setup: 9,
  owner: 10,
  server: 11,
  client: 12,
  tui: 13,
  cli: 14,
};

/**
 * Rooms that decide and never act: they have no files, processes or clock. `supervision` waits for
 * its children, so it may sleep on the clock that it receives.
 */
const PURE: ReadonlySet<string> = new Set([
  'turns',
  'steering',
  'metrics',
  'approvals',
  'messages',
  'schedules',
  'failures',
  'attempts',
  'monitors',
  'agents',
  'workflow',
  'plan',
  'supervision',
]);
const MAY_SLEEP: ReadonlySet<string> = new Set(['supervision']);

/**
 * Only the owner opens the state and performs commands: a client that did so would be a second
 * owner. A client may use rooms that only read files or compute: settings, roles, contexts,
 * classification.
 */
const HIDDEN_FROM_CLIENTS: Readonly<Record<string, readonly string[]>> = {
  cli: ['store', 'engine', 'gateway', 'workspace', 'supervision', 'owner', 'server'],
  tui: ['store', 'engine', 'gateway', 'workspace', 'supervision', 'owner', 'server'],
};

/** Each npm dependency belongs to one folder. `testing` may use any of them. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  zod: ['protocol', 'settings', 'reports', 'prices', 'public-json', 'capsule'],
  yaml: ['yaml'],
  'smol-toml': ['toml'],
  'modern-tar': ['packs'],
  pg: ['store'],
  hono: ['server'],
  '@hono/node-server': ['server'],
  commander: ['cli'],
  'fast-string-truncated-width': ['host'],
  nodemailer: ['host'],
  croner: ['schedules'],
  '@secretlint/core': ['redaction'],
  '@secretlint/secretlint-rule-preset-recommend': ['redaction'],
  '@seriousme/openapi-schema-validator': ['execution'],
  '@clack/core': ['cli'],
  '@clack/prompts': ['cli'],
  'gpt-tokenizer': ['context'],
  'oxc-parser': ['context'],
  'web-tree-sitter': ['context'],
  '@vscode/tree-sitter-wasm': ['context'],
};

/** Folders that may touch the machine. All other code receives values and ports. */
const MACHINE = new Set([
  'adapters/scripted/programs', // separate processes, never imported
  'gateway', // a network server: works on sockets, hashes and compressed streams
  'host',
  'sandbox/probes', // plants files, listeners and a process that a sandbox must not reach
  'store/sqlite',
  'store/postgres',
  'server',
  'client',
  'cli',
  'testing',
]);
/** These modules only compute, so they are allowed anywhere. */
const PURE_NODE = new Set([
  'node:path',
  'node:path/posix',
  'node:assert/strict',
  'node:assert',
  'node:url',
  'node:buffer',
]);

/** What the page of the dashboard may import. Of reports, it uses types. */
const PAGE_FOLDERS = ['web/', 'src/protocol/', 'src/base/', 'src/reports/'];
const PAGE_PACKAGES = new Set([
  'react',
  'react-dom/client',
  'wouter',
  '@tanstack/react-query',
  '@tanstack/react-virtual',
  'uplot',
  'uplot/dist/uPlot.min.css',
  '@xyflow/react',
  '@xyflow/react/dist/style.css',
  '@dagrejs/dagre',
]);

/** Imports that the tables forbid and a reason allows. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  // `agents check` tries real CLIs on the published model server, which no other command loads.
  'cli/runs/run-canary.ts → testing/model-server/model-server.ts',
  // Hashing only computes, but the module also draws random numbers.
  'base/hash-text.ts → node:crypto',
  // A checksum only computes, but the module also compresses.
  'store/checksum.ts → node:zlib',
  // The published library of supervisors includes the real clock and the real random numbers.
  'supervision/index.ts → host/machine/system-clock.ts',
  'supervision/index.ts → host/machine/system-random.ts',
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

type Source = { readonly name: string; readonly room: string; readonly text: string };

/** Every file of the product, without tests and without the programs that agents in tests run. */
function product(): Source[] {
  return sources(src)
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({
      name: relative(src, file),
      room: roomOf(file),
      text: readFileSync(file, 'utf8'),
    }));
}

/** Keys that occur in more than one place, with their places. */
function twice(pairs: readonly (readonly [key: string, place: string])[]): [string, string[]][] {
  const places = new Map<string, string[]>();
  for (const [key, place] of pairs) places.set(key, [...(places.get(key) ?? []), place]);
  return [...places].filter(([, list]) => list.length > 1);
}

/** The first way by which one file loads a file of a room when it is loaded itself, or an empty list. */
function wayTo(room: string, from: string): string[] {
  const before = new Map<string, string | null>([[from, null]]);
  for (const file of before.keys()) {
    if (roomOf(file) === room || (room === 'zod' && loadsSchemas(file))) {
      const way: string[] = [];
      for (let at: string | null = file; at !== null; at = before.get(at) ?? null) way.unshift(at);
      return way.map((one) => relative(src, one));
    }
    for (const specifier of loadedBy(readFileSync(file, 'utf8'))) {
      const target = resolve(dirname(file), specifier);
      if (!before.has(target)) before.set(target, file);
    }
  }
  return [];
}

function loadsSchemas(file: string): boolean {
  return /^import (?!type\b).*from 'zod';/m.test(readFileSync(file, 'utf8'));
}

/** The files of the product that a module loads at once: no types, and nothing that it imports later. */
function loadedBy(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)\s(?!type\b)(?:[\w\s*{},]*?\sfrom\s+)?['"](\.[^'"]+)['"]/gm,
  );
  return [...found].map(([, specifier]) => specifier ?? '');
}

/** The problem with one import, or undefined. */
function objection({ file, specifier }: Import): string | undefined {
  const room = roomOf(file);
  const isTest = file.endsWith('.test.ts');
  if (EXCEPTIONS.has(`${relative(src, file)} → ${specifier}`)) return undefined;
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
  if (relative(src, target).startsWith('..'))
    return isTest ? undefined : `${room} imports ${relative(root, target)}, which is not published`;
  const targetRoom = roomOf(target);
  if (targetRoom === room) return undefined;
  if (EXCEPTIONS.has(`${relative(src, file)} → ${relative(src, target)}`)) return undefined;
  if (targetRoom === 'testing') {
    return isTest ? undefined : `${room} imports testing, which is for tests only`;
  }
  if (HIDDEN_FROM_CLIENTS[room]?.includes(targetRoom) === true)
    return `${room} is a client and may not import ${targetRoom}`;
  if (!isTest && PURE.has(room) && targetRoom === 'host')
    return `${room} is pure and may not import host`;
  if (room === 'testing' || room === 'index.ts') return undefined;
  const [here, there] = [LAYERS[room], LAYERS[targetRoom]];
  if (here === undefined || there === undefined)
    return `${room} → ${targetRoom}: a room without a layer`;
  return there < here ? undefined : `${room} (${here}) may not import ${targetRoom} (${there})`;
}

describe('the architecture', () => {
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
    ['a neighbour of the same layer', 'store/journal.ts', '../trust/trust-store.ts'],
    ['a package of another room', 'store/journal.ts', 'hono'],
    ['the machine from a decision', 'attempts/decide.ts', 'node:fs'],
    ['testing from the product', 'engine/engine.ts', '../testing/fakes/manual-clock.ts'],
    ['an owner that imports a client', 'owner/owner.ts', '../cli/main.ts'],
    ['a client that opens the store', 'cli/connect-owner.ts', '../store/sqlite/sqlite-journal.ts'],
    ['a client that is the owner', 'cli/commands/run.ts', '../../owner/owner.ts'],
    ['the machine from a pure room', 'attempts/decide.ts', '../host/files/atomic-files.ts'],
    ['a test harness from the product', 'engine/engine.ts', '../../test/support/temp-dir.ts'],
  ];
  for (const [why, file, specifier] of refused) {
    test(`${why} is refused`, () => {
      assert.notEqual(objection({ file: join(src, file), specifier }), undefined);
    });
  }

  test('the page of the dashboard imports types and pure functions only', () => {
    const files = readdirSync(web, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
      .map((name) => join(web, name));
    const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
    assert.ok(imports.length > 30, `only ${imports.length} imports found: the reader is broken`);
    const foreign = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return !PAGE_PACKAGES.has(specifier);
      const target = relative(root, resolve(dirname(file), specifier));
      return !PAGE_FOLDERS.some((folder) => target.startsWith(folder));
    });
    assert.deepEqual(foreign, []);
  });

  test('no command loads the owner before it becomes one, so each command starts fast', () => {
    const commands = sources(join(src, 'cli', 'commands')).filter(
      (file) => !file.endsWith('.test.ts'),
    );
    assert.ok(commands.length > 30, `only ${commands.length} commands found`);
    assert.deepEqual(
      commands.map((file) => wayTo('owner', file)).filter((way) => way.length > 0),
      [],
    );
    assert.notDeepEqual(wayTo('owner', join(src, 'client', 'in-process.ts')), []);
  });

  test('the command line and the screen of the terminal start without schemas, so each command starts fast', () => {
    const screen = join(src, 'cli', 'commands', 'watch', 'open-top.ts');
    for (const from of [join(src, 'cli', 'main.ts'), screen])
      assert.deepEqual(wayTo('zod', from), []);
    assert.notDeepEqual(wayTo('zod', join(src, 'protocol', 'api.ts')), []);
  });

  test('nothing imports node:http but its types: Node would load undici, which takes each process 60 ms', () => {
    const importing = product().filter(({ text }) =>
      /^import (?!type\b).*from 'node:http';/m.test(text),
    );
    assert.deepEqual(
      importing.map(({ name }) => name),
      [],
    );
  });

  test('a pure room never sets a timer', () => {
    const waiting = product().filter(
      ({ room, text }) => PURE.has(room) && !MAY_SLEEP.has(room) && /\.sleep\(/.test(text),
    );
    assert.deepEqual(
      waiting.map(({ name }) => name),
      [],
    );
  });

  test('a file name exists once', () => {
    assert.deepEqual(
      twice(product().map(({ name }) => [basename(name), name])).filter(
        ([name]) => !['index.ts', 'main.ts'].includes(name),
      ),
      [],
    );
  });

  test('the name of an exported type is unique', () => {
    const types = product().flatMap(({ name, text }) =>
      [...text.matchAll(/^export (?:abstract )?(?:type|interface|class) (\w+)/gm)].map(
        ([, type]): [string, string] => [type ?? '', name],
      ),
    );
    assert.deepEqual(twice(types), []);
  });

  test('the import reader finds static, type, re-exported and dynamic imports', () => {
    const text = `import a from './a.ts';\nimport type { B } from "./b.ts";\nexport { c } from './c.ts';\nconst d = await import('./d.ts');\nimport {\n  e,\n} from './e.ts';`;
    assert.deepEqual(
      importsOf('x', text).map(({ specifier }) => specifier),
      ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts'],
    );
  });
});
