import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryProject } from '../../../test/support/memory-project.ts';
import { ImportResolver } from './import-resolver.ts';

type Files = Readonly<Record<string, string>>;

function importsOf(path: string, files: Files): Promise<readonly string[]> {
  return new ImportResolver(memoryProject(files)).findImports(path);
}

describe('a TypeScript or JavaScript file imports', () => {
  const cases: [why: string, files: Files, expected: readonly string[]][] = [
    [
      'by static, type, re-exported, dynamic and required names, each once, in their order',
      {
        'a.ts': `import type { B } from './b.ts'; import './c'; export * from './d'; export { e } from './e';
          const f = await import('./f'); import g = require('./g'); const h = require('./h'); import './b.ts';`,
        'b.ts': '',
        'c.ts': '',
        'd.ts': '',
        'e.ts': '',
        'f.ts': '',
        'g.ts': '',
        'h.js': '',
      },
      ['b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts', 'h.js'],
    ],
    [
      'the source behind the name of its output',
      {
        'a.ts': `import './b.js'; import './c.mjs'; import './d.jsx'`,
        'b.ts': '',
        'c.mts': '',
        'd.tsx': '',
      },
      ['b.ts', 'c.mts', 'd.tsx'],
    ],
    [
      'the index of a folder',
      { 'a.ts': `import './b'; import './'`, 'b/index.tsx': '', 'index.ts': '' },
      ['b/index.tsx', 'index.ts'],
    ],
    [
      'nothing that words, comments or texts only mention',
      {
        'a.ts': `// import './b'\nconst x = "import './b'"; notrequire('./b'); import(\`./\${x}\`)`,
        'b.ts': '',
      },
      [],
    ],
    [
      'nothing outside the project',
      { 'a.ts': `import '../b'; import 'zod'; import '/etc/passwd'`, 'b.ts': '' },
      [],
    ],
    ['not itself', { 'a.ts': `import './a'` }, []],
    [
      'by an alias of a tsconfig with comments and trailing commas',
      {
        'tsconfig.json': `{ // paths\n "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/x": ["./other"], }, }, }`,
        'src/a.ts': `import '@/b'; import '@/x'`,
        'src/b.ts': '',
        'other.ts': '',
      },
      ['src/b.ts', 'other.ts'],
    ],
    [
      'by an alias that the tsconfig inherits, relative to where it stands',
      {
        'base/tsconfig.json': `{"compilerOptions":{"baseUrl":"..","paths":{"~/*":["lib/*"]}}}`,
        'app/tsconfig.json': `{"extends":"../base/tsconfig"}`,
        'app/a.ts': `import '~/b'; import 'lib/c'`,
        'lib/b.ts': '',
        'lib/c.ts': '',
      },
      ['lib/b.ts', 'lib/c.ts'],
    ],
    [
      'the first of several targets that is there',
      {
        'tsconfig.json': `{"compilerOptions":{"paths":{"*":["./gen/*","./src/*"]}}}`,
        'a.ts': `import 'b'`,
        'src/b.ts': '',
      },
      ['src/b.ts'],
    ],
    [
      'by a name of its own package.json',
      {
        'package.json': `{"imports":{"#db":"./src/db.js","#x/*":{"types":"./none","default":"./src/x/*.ts"}}}`,
        'src/a.ts': `import '#db'; import '#x/y'`,
        'src/db.ts': '',
        'src/x/y.ts': '',
      },
      ['src/db.ts', 'src/x/y.ts'],
    ],
    [
      'a package of the same repository',
      {
        'packages/p/package.json': `{"name":"@s/p","exports":{".":{"import":"./dist/i.js","source":"./src/i.ts"},"./u":"./src/u.ts"}}`,
        'packages/q/package.json': `{"name":"q","main":"lib/main.js"}`,
        'packages/q/lib/main.js': '',
        'packages/q/src/deep.ts': '',
        'packages/p/src/i.ts': '',
        'packages/p/src/u.ts': '',
        'app/a.ts': `import '@s/p'; import '@s/p/u'; import 'q'; import 'q/deep'`,
      },
      [
        'packages/p/src/i.ts',
        'packages/p/src/u.ts',
        'packages/q/lib/main.js',
        'packages/q/src/deep.ts',
      ],
    ],
    [
      'from the script of a page',
      {
        'a.vue': `<template>x</template><script setup lang="ts">import B from './B.vue'</script>`,
        'B.vue': '',
      },
      ['B.vue'],
    ],
    [
      'what can be read of it although it is broken',
      { 'a.ts': `import './b';\nconst = ;`, 'b.ts': '' },
      ['b.ts'],
    ],
  ];
  for (const [why, files, expected] of cases) {
    const path = Object.keys(files).find((one) => /(^|\/)a\./.test(one)) ?? '';
    test(why, async () => assert.deepEqual(await importsOf(path, files), expected));
  }
});

describe('a Python file imports', () => {
  const cases: [why: string, files: Files, expected: readonly string[]][] = [
    [
      'modules, packages and names that are modules',
      {
        'a.py': 'import b, c.d as e\nfrom p import q, r\nfrom p.s import t',
        'b.py': '',
        'c/d.py': '',
        'p/__init__.py': '',
        'p/q.py': '',
        'p/s.py': '',
      },
      ['b.py', 'c/d.py', 'p/__init__.py', 'p/q.py', 'p/s.py'],
    ],
    [
      'relatively',
      {
        'p/s/a.py': 'from . import b\nfrom .c import d\nfrom .. import e\nfrom ..f.g import h',
        'p/s/b.py': '',
        'p/s/c.py': '',
        'p/e.py': '',
        'p/f/g.py': '',
      },
      ['p/s/b.py', 'p/s/c.py', 'p/e.py', 'p/f/g.py'],
    ],
    [
      'inside functions and conditions',
      {
        'a.py': 'if TYPE_CHECKING:\n    from b import B\ndef f():\n    import c',
        'b.py': '',
        'c.py': '',
      },
      ['b.py', 'c.py'],
    ],
    [
      'from a src folder',
      { 'src/p/a.py': 'from p.b import c', 'src/p/b.py': '', 'src/p/__init__.py': '' },
      ['src/p/b.py'],
    ],
    [
      'from the src folder of a part of the repository',
      { 'libs/x/pyproject.toml': '', 'libs/x/src/x/b.py': '', 'a.py': 'import x.b' },
      ['libs/x/src/x/b.py'],
    ],
    [
      'nothing that a text or a comment mentions',
      { 'a.py': '"""\nimport b\n"""\n# import b', 'b.py': '' },
      [],
    ],
    ['nothing outside', { 'a.py': 'from ... import x\nimport os', 'x.py': '' }, []],
    [
      'several names in brackets',
      { 'a.py': 'from p import (\n    q,  # one\n    r as s,\n)', 'p/q.py': '', 'p/r.py': '' },
      ['p/q.py', 'p/r.py'],
    ],
  ];
  for (const [why, files, expected] of cases) {
    const path = Object.keys(files).find((one) => /(^|\/)a\.py$/.test(one)) ?? '';
    test(why, async () => assert.deepEqual(await importsOf(path, files), expected));
  }
});

test('a file in an unknown language has no imports', async () => {
  assert.deepEqual(await importsOf('a.go', { 'a.go': 'import "./b"', 'b.go': '' }), []);
});
