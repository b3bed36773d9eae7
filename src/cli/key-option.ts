/** `--idempotency-key`, for scripts that send a command again when they don't know whether it was accepted. */
import type { Command } from 'commander';

export type KeyOption = { readonly idempotencyKey?: string };

export function withKeyOption(command: Command): Command {
  return command.option(
    '--idempotency-key <key>',
    'send the command again with the same key, and it is still carried out once',
  );
}
