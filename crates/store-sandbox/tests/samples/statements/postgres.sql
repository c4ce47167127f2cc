SELECT food::text, calories::int, "with"->>0, day::date + interval '1 day' FROM meals WHERE food ILIKE '%zz%' AND $$a$$ <> E'\n' -- comment
