import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isImplementation, outline } from './outline.ts';

describe('the outline of a TypeScript module shows', () => {
  const cases: [why: string, text: string, expected: string | undefined][] = [
    [
      'signatures and their documentation, no bodies',
      `import { x } from './x';\n/** Adds. */\nexport function add(a: number, b = x): number { return SECRET(a, b); }\nfunction hidden() {}`,
      `/** Adds. */\nexport function add(a: number, b = x): number;\n`,
    ],
    [
      'types, interfaces and enums as they are',
      `export type A = { readonly b: string };\nexport interface C { d(): void }\ntype Hidden = 1;`,
      `export type A = { readonly b: string };\n\nexport interface C { d(): void }\n`,
    ],
    [
      'the public members of a class',
      `export abstract class A<T> extends B {\n  #p = SECRET;\n  private q = 1;\n  readonly n: number = SECRET;\n  /** Does it. */\n  async run(t: T): Promise<void> { SECRET(); }\n  protected r() {}\n  static { SECRET(); }\n  constructor(readonly z: string) { super(SECRET); }\n}`,
      `export abstract class A<T> extends B {\n  readonly n: number;\n  /** Does it. */\n  async run(t: T): Promise<void>;\n  constructor(readonly z: string);\n}\n`,
    ],
    [
      'constants by their type, short values, and functions by their head',
      `export const A: Map<string, number> = SECRET();\nexport const LIMIT = 10;\nexport const f = async (a: string): Promise<B> => SECRET(a);\nexport const g = SECRET.h;`,
      `export const A: Map<string, number>;\n\nexport const LIMIT = 10;\n\nexport const f = async (a: string): Promise<B> => …;\n\nexport const g = …;\n`,
    ],
    [
      'what is exported by a list or by default',
      `const a = 1;\nfunction b() { SECRET(); }\nexport { a, b as c };\nexport default class { m() { SECRET(); } }`,
      `const a = 1;\n\nfunction b();\n\nexport { a, b as c };\n\nexport default class {\n  m();\n}\n`,
    ],
    [
      'what it passes on',
      `export * from './a';\nexport { b } from './b';`,
      `export * from './a';\n\nexport { b } from './b';\n`,
    ],
    ['nothing if nothing is exported', 'const a = 1;', undefined],
  ];
  for (const [why, text, expected] of cases) {
    test(why, async () => {
      const shown = await outline('a.ts', text);
      assert.equal(shown, expected);
      assert.doesNotMatch(shown ?? '', /SECRET/);
    });
  }
});

test('the outline of a Python module shows public names, documentation and types', async () => {
  const text = `"""The module."""
import os
LIMIT: int = 10
names = [SECRET for x in y]
_hidden = 1

@cached
def add(a: int, b: int = 1) -> int:  # note
    """Adds."""
    return SECRET(a)

async def go(): pass

def _private(): pass

class Store(Base):
    """Keeps."""
    size: int
    def __init__(self, path: str) -> None:
        self.path = SECRET
    @property
    def path(self) -> str:
        return SECRET
    def _inner(self): pass
`;
  assert.equal(
    await outline('a.py', text),
    `"""The module."""

LIMIT: int = 10

names = ...

@cached
def add(a: int, b: int = 1) -> int:
    """Adds."""
    ...

async def go():
    ...

class Store(Base):
    """Keeps."""
    size: int
    def __init__(self, path: str) -> None:
        ...
    @property
    def path(self) -> str:
        ...
`,
  );
});

test('a file in an unknown language has no outline', async () => {
  assert.equal(await outline('a.go', 'package a'), undefined);
});

test('tests, interfaces and documents are not implementation', () => {
  const paths = [
    'src/a.ts',
    'a.go',
    'a.d.ts',
    'api.proto',
    'src/a.test.ts',
    'tests/conftest.py',
    'README.md',
  ];
  assert.deepEqual(paths.filter(isImplementation), ['src/a.ts', 'a.go']);
});
