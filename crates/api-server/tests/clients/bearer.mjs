// Sends the token in BEARER_TOKEN with every request of the program it is loaded into (`node --import`).
// The conformance suites have no option for it.
import { subscribe } from 'node:diagnostics_channel';
import http from 'node:http';

const bearer = `Bearer ${process.env.BEARER_TOKEN}`;

// Requests of `fetch` and undici.
subscribe('undici:request:create', ({ request }) => request.addHeader('authorization', bearer));

// Requests of `node:http`.
const request = http.request;
http.request = (...args) => {
  const sent = request(...args);
  sent.setHeader('authorization', bearer);
  return sent;
};
