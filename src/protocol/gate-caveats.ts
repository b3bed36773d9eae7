/** What limits the proof that a gate has given, in words for a person; from the outcome that is on record. */

type Result = Readonly<Record<string, unknown>>;

/** Why files of the work may have decided how it was judged; empty: the gate is protected. */
export function notProtected(result: Result): readonly string[] {
  return strings(result['unprotected']);
}

/** Tests of the base that the work changed, deleted or skips, each with what was done to it. */
export function testsTouched(result: Result): readonly string[] {
  const tests: unknown = result['tests'];
  if (!Array.isArray(tests)) return [];
  return tests.flatMap((one: unknown) => {
    const { path, how } = (one ?? {}) as { readonly path?: unknown; readonly how?: unknown };
    return typeof path === 'string' && typeof how === 'string'
      ? [`${path} (${WORDS[how] ?? how})`]
      : [];
  });
}

/** What its test runners have reported, such as `12 tests passed, 1 skipped (node:test)`; empty: nothing. */
export function testsCounted(result: Result): string {
  const counted = (result['counted'] ?? {}) as Result;
  const { passed, failed, skipped } = counted;
  if (!isCount(passed) || !isCount(failed) || !isCount(skipped)) return '';
  const parts = [
    `${passed} ${passed === 1 ? 'test' : 'tests'} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  return `${parts.join(', ')} (${strings(counted['runners']).join(', ')})`;
}

/** Why its tests were not counted; empty: they were, or an older release has run it. */
export function notCounted(result: Result): string {
  const why = result['notCounted'];
  return typeof why === 'string' ? why : '';
}

/** Why its tests make it red though its exit code does not. */
export function redByReport(result: Result): string {
  return strings(result['reported']).join('; ');
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value);
}

const WORDS: Readonly<Record<string, string>> = { skips: 'skipped' };

/** A sentence for each. `name` is the gate's. */
export function caveatsOf(name: string, result: Result): readonly string[] {
  const [open, tests] = [notProtected(result), testsTouched(result)];
  const why = notCounted(result);
  return [
    ...(open.length === 0 ? [] : [`gate ${name} is not protected: ${open.join('; ')}`]),
    ...(tests.length === 0 ? [] : [`the work touches tests of the base: ${tests.join(', ')}`]),
    ...(why === '' ? [] : [`the tests of gate ${name} are not counted: ${why}`]),
  ];
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
