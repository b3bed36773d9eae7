/** The owner's options and its execution host as a command sees them: with the PATH and the keys of its shell. */
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { fixedPath } from '../../host/process/which.ts';
import type { RunEnvironment } from '../../protocol/run-environment.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { CredentialSource, Variables } from './given-variables.ts';
import { withoutCredentials, withoutSetupVariables } from './given-variables.ts';
import { withPath } from './run-path.ts';

/** Undefined: the command sent no environment, and that of the owner counts. */
type Given = RunEnvironment | undefined;

export function credentialSource(
  { env, scriptedInProject = false }: OwnerOptions,
  given: Given,
): CredentialSource {
  const variables = shellVariables(env, given);
  return { variables, isFromShell: given !== undefined, scriptedInProject };
}

export function shellOptions(options: OwnerOptions, given: Given): OwnerOptions {
  if (given === undefined) return options;
  const agentEnv = withPath(options.agentEnv, shellPath(given));
  return { ...options, agentEnv, env: shellVariables(options.env, given) };
}

export function shellHost(host: ExecutionHost, given: Given): ExecutionHost {
  if (given === undefined) return host;
  const env = withPath(host.env, shellPath(given));
  return { ...host, env, ownerEnv: shellVariables(host.ownerEnv, given) };
}

/** PATH without relative folders, which mean another folder for the owner. Undefined: the shell has none. */
export function shellPath(given: Given): string | undefined {
  const path = fixedPath(given?.['PATH']);
  return path === '' ? undefined : path;
}

function shellVariables(own: Variables, given: Given): Variables {
  if (given === undefined) return own;
  return { ...withoutSetupVariables(withoutCredentials(own)), ...given };
}
