// How both generations of the TypeScript client come in over OAuth. Their own code does all of it but one step: the
// owner's browser, which a plan names by an address. It is given the address to open, and answers with the one that it
// was sent back to.

const CALLBACK = 'http://127.0.0.1:4711/callback';

export function oauthProvider({ browser, name, scope }) {
  let client, tokens, verifier, discovered;
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: name,
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope,
    },
    state: () => 'a-state-to-hear-again',
    clientInformation: () => client,
    saveClientInformation: (told) => { client = told; },
    tokens: () => tokens,
    saveTokens: (told) => { tokens = told; },
    codeVerifier: () => verifier,
    saveCodeVerifier: (told) => { verifier = told; },
    discoveryState: () => discovered,
    saveDiscoveryState: (told) => { discovered = told; },
    redirectToAuthorization: async (url) => {
      const opened = await fetch(`${browser}?url=${encodeURIComponent(url)}`);
      provider.sentBackTo = new URL(await opened.text());
    },
    /** The parameters that came back with the browser, once; fails unless they repeat our state. */
    answered: () => {
      const { searchParams } = provider.sentBackTo;
      provider.sentBackTo = undefined;
      if (searchParams.get('state') !== provider.state()) throw new Error('the state did not come back');
      return searchParams;
    },
  };
  return provider;
}

/** Does something, and once more when the owner had to be asked on the way. */
export async function asking(provider, work, finish) {
  try {
    return await work();
  } catch (error) {
    if (!provider?.sentBackTo) throw error;
    await finish(provider.answered());
    return await work();
  }
}
