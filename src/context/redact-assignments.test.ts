import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { redactAssignments } from './redact-assignments.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789ABCD'.slice(0, 36);

describe('a secret is redacted', () => {
  const cases: [why: string, path: string, text: string, expected: string][] = [
    ['a quoted key', 'a.py', 'API_KEY = "hunter22"', 'API_KEY = "[REDACTED]"'],
    ['a key in an object', 'a.ts', "{ apiKey: 'hunter22' }", "{ apiKey: '[REDACTED]' }"],
    [
      'a typed constant',
      'a.ts',
      "const token: string = 'hunter22';",
      "const token: string = '[REDACTED]';",
    ],
    ['a quoted name', 'a.json', '"db_password": "hunter22"', '"db_password": "[REDACTED]"'],
    [
      'an entry by key',
      'a.py',
      "os.environ['SECRET'] = 'hunter22'",
      "os.environ['SECRET'] = '[REDACTED]'",
    ],
    [
      'a line of settings',
      'prod.env',
      'export AWS_SECRET=hunter22 # x',
      'export AWS_SECRET=[REDACTED] # x',
    ],
    ['a line of YAML', 'a.yml', '  password: hunter22', '  password: [REDACTED]'],
    ['a GitHub token', 'a.md', `see ghp_${letters}`, 'see [REDACTED]'],
    ['an OpenAI key', 'a.md', `sk-${letters}${letters.slice(0, 12)}`, '[REDACTED]'],
    [
      'a private key',
      'a.ts',
      'x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\ny',
      'x\n[REDACTED]\ny',
    ],
    [
      'the rest of a private key that was cut off',
      'a.ts',
      '-----BEGIN PRIVATE KEY-----\nMIIE',
      '[REDACTED]',
    ],
  ];
  for (const [why, path, text, expected] of cases) {
    test(why, () => assert.equal(redactAssignments(text, path), expected));
  }

  const kept: [why: string, path: string, text: string][] = [
    ['a type', 'a.ts', 'function f(token: string, secret?: Secret): void {}'],
    ['a value from elsewhere', 'a.ts', 'const token = process.env.TOKEN;'],
    ['a sentence', 'a.ts', "const token = 'a word with spaces';"],
    [
      'a placeholder',
      'a.yaml',
      'password: ${PASSWORD}\ntoken: "${TOKEN_OF_CI}"\nsecret: <your secret>',
    ],
    ['a short word', 'a.ts', "kind: 'token', token: 'x'"],
    ['prose about tokens', 'a.md', 'Each token: counted. The password is asked for.'],
    ['a comparison', 'a.ts', "if (token === 'eof_token') return;"],
  ];
  for (const [why, path, text] of kept) {
    test(`but not ${why}`, () => assert.equal(redactAssignments(text, path), text));
  }

  test('twice with the same result as once', () => {
    const piece = fc.constantFrom(
      'token',
      'PASSWORD',
      '=',
      ': ',
      '"',
      "'",
      'hunter22',
      ' ',
      '\n',
      '[REDACTED]',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.constantFrom('a.ts', 'a.env'),
        (pieces, path) => {
          const once = redactAssignments(pieces.join(''), path);
          assert.equal(redactAssignments(once, path), once);
        },
      ),
    );
  });
});
