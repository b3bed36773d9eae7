import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ToolError } from '../protocol/turn.ts';
import { classifyToolError } from './tool-error.ts';

describe('the kind of an error', () => {
  const cases: [output: string, kind: ToolError][] = [
    ['Command timed out after 120 s', 'timeout'],
    ["Error: Cannot find module 'left-pad'", 'dependency'],
    ["ModuleNotFoundError: No module named 'requests'", 'dependency'],
    ['curl: (7) Failed to connect: Connection refused', 'network'],
    ['rm: /etc/passwd: Permission denied', 'permission'],
    ['write error: No space left on device', 'resource'],
    ['cat: a.txt: No such file or directory', 'not-found'],
    ['bash: pyton: command not found', 'not-found'],
    ['File does not exist.', 'not-found'],
    ['The system cannot find the file specified.', 'not-found'],
    ['No shell found with ID: b9', 'not-found'],
    ['Error: No such tool available: shell', 'syntax'],
    ['SyntaxError: Unexpected token }', 'syntax'],
    ['Exit code 1\n2 failing', 'execution'],
    ['', 'execution'],
    [`${'x'.repeat(1_000_000)} permission denied`, 'permission'],
  ];
  for (const [output, kind] of cases)
    test(`${output.slice(-50)} is ${kind}`, () => assert.equal(classifyToolError(output), kind));
});
