/** All bypasses of a gate in the matrix. */
import type { Bypass, Row } from './bypass.ts';
import { NODE } from './bypasses-node.ts';
import { OTHERS } from './bypasses-others.ts';
import { PYTHON } from './bypasses-python.ts';
import { MAKE, SHELL } from './bypasses-shell.ts';
import { FOUND } from './bypasses-found.ts';
import { VARIANTS } from './bypasses-variants.ts';

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

function bypassOf([why, gate, base, work, expected = 'closed', isReal = false]: Row): Bypass {
  const words = wordsOf(gate);
  const programs = ['sh', 'make', 'npm', 'node', 'python3', 'timeout', 'find', 'env'].filter(
    (name) => `${gate} ${Object.values(base).join(' ')}`.includes(name),
  );
  return { why, gate: words, base, work, expected, ...(isReal ? { real: programs } : {}) };
}

export const BYPASSES: readonly Bypass[] = [SHELL, MAKE, NODE, PYTHON, OTHERS, FOUND, VARIANTS]
  .flat()
  .map(bypassOf);
