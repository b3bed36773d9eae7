/** Whether the command in a sandbox was started at all, and what is reported if it was not. */
import { isRecord, parseJson } from '../base/json.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { HostExit } from '../host/process/process-group.ts';
import type { ContainerExitState } from './container-engine.ts';
import { STATUS_FILE } from './wrapped.ts';

export const STDERR_BYTES_MAX = 2000;
const STATUS_BYTES_MAX = 10_000;

/** bubblewrap reports the exit code only if the command started. */
export async function hasExitCode(scratch: string): Promise<boolean> {
  const text = (await readTextFile(`${scratch}/${STATUS_FILE}`, STATUS_BYTES_MAX)) ?? '';
  return text.split('\n').some((line) => {
    const status = parseJson(line);
    return isRecord(status) && typeof status['exit-code'] === 'number';
  });
}

/**
 * Whether the command ran. Without a record of the engine, only the exit code is left. Docker and podman exit with
 * 125, 126 or 127 if they cannot start the command, and with its own code otherwise.
 */
export function hasStartedContainer(
  exit: HostExit,
  state: ContainerExitState | undefined,
): boolean {
  if (exit.kind !== 'code') return exit.kind === 'signal';
  return state?.started ?? (exit.code < 125 || exit.code > 127);
}

export function notStarted(output: string, exit: HostExit): HostExit {
  const text = output.trim().slice(0, STDERR_BYTES_MAX);
  const code = exit.kind === 'code' ? ` with exit code ${exit.code}` : '';
  const reason = text === '' ? `its program ended${code} and printed nothing` : text;
  const message = `the sandbox could not be created: ${reason}`;
  return { kind: 'not-started', code: 'SANDBOX', message };
}
