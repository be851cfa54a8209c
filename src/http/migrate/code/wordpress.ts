import type { Addresses } from './code-language.ts';
import { phpText } from './php.ts';

/**
 * What a plugin of WordPress has in the place of the set-up in PHP. The calls are the same. They go by the functions of
 * WordPress, and so through the proxy and the hooks of the site.
 */
export const wordpressSetUp = ({ oldApi, newApi, revocation }: Addresses): string => `<?php
// WordPress answers every status alike, and WP_Error where nothing came back.
function answered($answer)
{
    if (is_wp_error($answer)) {
        throw new RuntimeException($answer->get_error_message());
    }
    return json_decode(wp_remote_retrieve_body($answer), true);
}

function callOld(string $method, string $path, array $form = [])
{
    return answered(wp_remote_request(${phpText(oldApi)} . $path, [
        'method' => $method,
        'timeout' => 15,
        'headers' => ['Authorization' => 'Bearer ' . getenv('OLD_TOKEN')],
        'body' => $form,
    ]));
}

function ask(string $query, array $variables = [])
{
    return answered(wp_remote_post(${phpText(newApi)}, [
        'timeout' => 15,
        'headers' => [
            'Authorization' => 'Bearer ' . getenv('ACCESS_TOKEN'),
            'Content-Type' => 'application/json',
        ],
        'body' => wp_json_encode(['query' => $query, 'variables' => (object) $variables]),
    ]));
}

function revoke(array $form)
{
    return answered(wp_remote_post(${phpText(revocation)}, ['timeout' => 15, 'body' => $form]));
}`;
