/** What a limit or a refused key concerns: the same program, login, arguments and model, in whichever run. */
export type IdentityParts = {
  readonly cli: string;
  readonly configDir?: string | null;
  readonly args?: readonly string[];
  readonly model?: string | null;
  /** What a custom agent runs: two of them are not one because both are called custom. */
  readonly command?: readonly string[] | null;
};

export function identityOf({ cli, configDir, args, model, command }: IdentityParts): string {
  const words = [...(command ?? []), ...(args ?? [])].join(' ');
  return [cli, configDir ?? '', words, model ?? ''].join('::');
}
