import type { Command } from 'commander';
import { changeProfile, readProfile } from '../credentials.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { outOf, profileName } from '../session.ts';
import { endSession, notSignedIn } from '../sign-in.ts';

export function define(logout: Command): void {
  logout.action(async (_options: object, command: Command) => {
    const out = outOf(command);
    const name = profileName(command);
    const profile = await readProfile(name);
    if (!profile) throw notSignedIn();
    // Forgotten here in any case: a service that is away must not keep somebody signed in on a shared machine.
    await changeProfile(name, () => Promise.resolve(undefined));
    await endSession(profile).catch((error: Error) => {
      throw new CliError(
        exitCodes.away,
        'session_not_ended',
        `Credentials deleted from this machine, but the session is still active: ${error.message}`,
        'It expires on its own, or you can end it in the portal under Profile > Sessions.',
      );
    });
    out.answer({ profile: name, apiUrl: profile.apiUrl }, `Signed out of ${profile.apiUrl}.`);
  });
}
