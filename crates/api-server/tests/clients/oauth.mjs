// OAuth for both generations of the TypeScript client. Their own code does everything but one step: the owner's
// browser, which a plan names by an address. It is given the address to open, and answers with the one it was
// redirected to.

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
    state: () => 'a-state-to-get-back',
    clientInformation: () => client,
    saveClientInformation: (saved) => { client = saved; },
    tokens: () => tokens,
    saveTokens: (saved) => { tokens = saved; },
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => { verifier = saved; },
    discoveryState: () => discovered,
    saveDiscoveryState: (saved) => { discovered = saved; },
    redirectToAuthorization: async (url) => {
      const opened = await fetch(`${browser}?url=${encodeURIComponent(url)}`);
      provider.redirectedTo = new URL(await opened.text());
    },
    /** Returns the parameters of the redirect, once; fails unless they contain our state. */
    redirectParameters: () => {
      const { searchParams } = provider.redirectedTo;
      provider.redirectedTo = undefined;
      if (searchParams.get('state') !== provider.state()) throw new Error('the state did not come back');
      return searchParams;
    },
  };
  return provider;
}

/** Does something, and once more when the owner had to be asked first. */
export async function asking(provider, work, finish) {
  try {
    return await work();
  } catch (error) {
    if (!provider?.redirectedTo) throw error;
    await finish(provider.redirectParameters());
    return await work();
  }
}
