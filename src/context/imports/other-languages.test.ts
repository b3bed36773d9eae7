import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryProject } from '../../../test/support/memory-project.ts';
import { ImportResolver } from './import-resolver.ts';

type Files = Readonly<Record<string, string>>;
type Case = readonly [why: string, from: string, files: Files, expected: readonly string[]];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  Go: [
    [
      'every file of a package of its module, without tests',
      'cmd/main.go',
      {
        'go.mod': 'module example.com/shop\n\ngo 1.24\n',
        'cmd/main.go':
          'package main\nimport (\n\t"fmt"\n\tc "example.com/shop/cart"\n\t_ `example.com/shop`\n)\n',
        'cart/cart.go': '',
        'cart/sum.go': '',
        'cart/cart_test.go': '',
        'cart/inner/x.go': '',
        'shop.go': '',
      },
      ['cart/cart.go', 'cart/sum.go', 'shop.go'],
    ],
    [
      'a package of the module with the longest name that fits',
      'a.go',
      {
        'go.mod': 'module x.org/a',
        'tools/go.mod': 'module "x.org/a/tools"',
        'a.go': 'package a\nimport "x.org/a/tools/gen"',
        'tools/gen/gen.go': '',
      },
      ['tools/gen/gen.go'],
    ],
    [
      'nothing of other modules, and nothing that a comment or a text mentions',
      'a.go',
      {
        'go.mod': 'module x.org/a',
        'a.go': 'package a\n// import "x.org/a/b"\nimport "x.org/ab"\nvar s = `import "x.org/a/b"`',
        'b/b.go': '',
      },
      [],
    ],
  ],
  Java: [
    [
      'classes, members of classes and packages, below any source folder',
      'src/main/java/shop/App.java',
      {
        'src/main/java/shop/App.java':
          'package shop;\nimport shop.cart.Cart;\nimport static shop.util.Money.EUR;\nimport shop.mail.*;\nimport java.util.List;\nimport shop.Order.Line;',
        'src/main/java/shop/cart/Cart.java': '',
        'src/main/java/shop/Order.java': '',
        'lib/src/shop/util/Money.java': '',
        'src/main/java/shop/mail/A.java': '',
        'src/main/java/shop/mail/note.txt': '',
        'src/main/java/other/Cart.java': '',
      },
      [
        'src/main/java/shop/cart/Cart.java',
        'lib/src/shop/util/Money.java',
        'src/main/java/shop/mail/A.java',
        'src/main/java/shop/Order.java',
      ],
    ],
  ],
  Rust: [
    [
      'modules that it declares, beside a root and below another file',
      'src/main.rs',
      {
        'Cargo.toml': '',
        'src/main.rs': 'mod cart;\npub mod mail;\nmod inline { fn x() {} }',
        'src/cart.rs': '',
        'src/mail/mod.rs': '',
        'src/inline.rs': '',
      },
      ['src/cart.rs', 'src/mail/mod.rs'],
    ],
    [
      'what it uses from the crate, this module and the one above, with braces taken apart',
      'src/cart/sum.rs',
      {
        'Cargo.toml': '',
        'src/cart/sum.rs':
          'mod part;\nuse crate::mail::{Mail, send::{now, later as l}};\nuse super::tax::*;\nuse self::part::P;\nuse std::fs;',
        'src/mail.rs': '',
        'src/mail/send.rs': '',
        'src/cart/tax.rs': '',
        'src/cart/sum/part.rs': '',
      },
      ['src/cart/sum/part.rs', 'src/mail.rs', 'src/mail/send.rs', 'src/cart/tax.rs'],
    ],
    [
      'from its own crate in a workspace',
      'crates/b/src/lib.rs',
      {
        'Cargo.toml': '',
        'crates/b/Cargo.toml': '',
        'crates/b/src/lib.rs': 'use crate::x::X;',
        'crates/b/src/x.rs': '',
        'src/x.rs': '',
      },
      ['crates/b/src/x.rs'],
    ],
  ],
  Ruby: [
    [
      'files beside it and below lib, and no computed name',
      'lib/shop/cart.rb',
      {
        'lib/shop/cart.rb':
          'require "shop/mail"\nrequire_relative "./tax"\nrequire_relative \'../util.rb\'\nrequire "json"\nrequire_relative "a#{b}"\nputs "x"',
        'lib/shop/mail.rb': '',
        'lib/shop/tax.rb': '',
        'lib/util.rb': '',
        'json.rb': '',
      },
      ['lib/shop/mail.rb', 'lib/shop/tax.rb', 'lib/util.rb'],
    ],
  ],
  'C or C++': [
    [
      'headers in quotes: beside it, in a folder of headers, or the only one that fits',
      'src/a.cpp',
      {
        'src/a.cpp':
          '#include "a.h"\n#include "shop/cart.hpp"\n#include "deep/x.h"\n#include "twice.h"\n#include <mail.h>\n',
        'src/a.h': '',
        'include/shop/cart.hpp': '',
        'third/deep/x.h': '',
        'one/twice.h': '',
        'two/twice.h': '',
        'mail.h': '',
      },
      ['src/a.h', 'include/shop/cart.hpp', 'third/deep/x.h'],
    ],
  ],
};

for (const [language, cases] of Object.entries(CASES))
  describe(`a file of ${language} imports`, () => {
    for (const [why, from, files, expected] of cases)
      test(why, async () => {
        const found = await new ImportResolver(memoryProject(files)).findImports(from);
        assert.deepEqual(found, expected);
      });
  });

describe('a broken file', () => {
  for (const name of ['a.go', 'a.java', 'a.rs', 'a.rb', 'a.c'])
    test(`${name} imports what can be read, or nothing`, async () => {
      const text = `${'({['.repeat(20_000)} import "../../x" use mod ; #include "\n`;
      const found = await new ImportResolver(memoryProject({ [name]: text })).findImports(name);
      assert.deepEqual(found, []);
    });
});

describe('a name without end', () => {
  const cases: readonly (readonly [name: string, text: string])[] = [
    ['a.rs', `use ${'a::{'.repeat(5000)}b${'}'.repeat(5000)};`],
    ['b.rs', `use ${'a::'.repeat(1_000_000)}b;`],
    ['a.java', `import ${'a.'.repeat(1_000_000)}b;`],
  ];
  for (const [name, text] of cases)
    test(`in ${name} is read to a bound`, async () => {
      const found = await new ImportResolver(memoryProject({ [name]: text })).findImports(name);
      assert.deepEqual(found, []);
    });
});
