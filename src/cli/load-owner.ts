/** The owner's modules double the start time of a command, so each command that can be an owner loads them late. */
import type { InProcess, ServeOptions } from '../client/in-process.ts';

/** Starts an owner inside this process. */
export async function startOwnerHere(options: ServeOptions): Promise<InProcess> {
  const { openInProcess } = await import('../client/in-process.ts');
  return openInProcess(options);
}

/** The address that `--listen` names, if it is given. Refuses one that other machines can reach. */
export async function listenAddress(text: string | undefined): Promise<ServeOptions['tcp']> {
  if (text === undefined) return undefined;
  const { parseListen } = await import('../client/in-process.ts');
  return parseListen(text);
}
