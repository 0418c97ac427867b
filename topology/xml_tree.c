/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/xml_tree.h"

#include "data/number.h"

#include <libxml/encoding.h>
#include <libxml/parser.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *at, const char *end, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(end - at) >= length && memcmp(at, with, length) == 0;
}

/* What no description of a node has, and a parser would work on for long: by entities a small document becomes a huge one,
 * or takes in other files; attributes that a document type declares are compared with each other for every element, and those of an
 * element with all before it (counted with what stands before the next element). NULL: there is none. */
static const char *find_harm(const char *bytes, const char *end)
{
    size_t elements = 0;
    for (const char *at = memchr(bytes, '<', (size_t)(end - bytes)), *next; at != NULL; at = next) {
        next = at + 1 < end ? memchr(at + 1, '<', (size_t)(end - at - 1)) : NULL;
        if (begins(at, end, "<!ENTITY"))
            return "it defines an entity";
        if (begins(at, end, "<!ATTLIST"))
            return "it declares attributes";
        if (++elements > 2 * CLUMP_XML_MOST_ELEMENTS)
            return "there are too many elements for a node";
        if (begins(at, end, "<!") || begins(at, end, "<?"))
            continue;
        size_t attributes = 0;
        for (const char *c = at; c < (next != NULL ? next : end); c++)
            attributes += *c == '=';
        if (attributes > CLUMP_XML_MOST_ATTRIBUTES)
            return "an element has too many attributes for a node";
    }
    return NULL;
}

/* What is wrong with an encoding is printed by the library, unless somebody takes it. */
#if LIBXML_VERSION >= 21200
static void ignore(void *context, const xmlError *error)
#else
static void ignore(void *context, xmlError *error)
#endif
{
    (void)context, (void)error;
}

/* UTF-16, as other systems write files, into UTF-8; an empty buffer if it is none. NULL: no memory. */
static xmlBuffer *convert(const char *bytes, size_t size, bool little)
{
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const context = xmlStructuredErrorContext;
    xmlBuffer *in = xmlBufferCreate(), *out = xmlBufferCreate();
    xmlSetStructuredErrorFunc(NULL, ignore);
    if (in != NULL && out != NULL && xmlBufferAdd(in, (const xmlChar *)bytes, (int)size) == 0)
        xmlCharEncInFunc(xmlGetCharEncodingHandler(little ? XML_CHAR_ENCODING_UTF16LE
                                                          : XML_CHAR_ENCODING_UTF16BE),
                         out, in);
    xmlSetStructuredErrorFunc(context, before);
    xmlBufferFree(in);
    return out;
}

/* The parser's own messages quote what is there: somebody else's script may have named any file, and shall not show it. */
static clump_status parse(const char *bytes, size_t size, xmlDoc **document, clump_error *error)
{
    const char *harm = find_harm(bytes, bytes + size);
    if (harm != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", harm);
    xmlParserCtxt *parser = xmlNewParserCtxt();
    if (parser == NULL)
        return clump_fail_memory(error, "reading XML");
    /* UTF-8, whatever it says itself: in others (UTF-7) the signs above have other bytes. */
    *document = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, "UTF-8",
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                      XML_PARSE_NOBLANKS | XML_PARSE_NOCDATA);
    const xmlError *last = xmlCtxtGetLastError(parser);
    clump_status status = CLUMP_OK;
    if (*document == NULL && last != NULL && last->code == XML_ERR_NO_MEMORY)
        status = clump_fail_memory(error, "reading XML");
    else if (*document == NULL)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "line %d: not well-formed XML",
                            last != NULL ? last->line : 1);
    xmlFreeParserCtxt(parser);
    return status;
}

clump_status clump_xml_read(const char *bytes, size_t size, xmlDoc **document, clump_error *error)
{
    const bool wide =
        size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    *document = NULL;
    if (size > CLUMP_XML_MOST_BYTES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it has %zu bytes, expected %d at most for a node", size,
                          CLUMP_XML_MOST_BYTES);
    if (!wide)
        return parse(bytes, size, document, error);
    xmlBuffer *text = convert(bytes + 2, size - 2, *bytes == '\xff');
    if (text == NULL)
        return clump_fail_memory(error, "reading XML");
    const clump_status status =
        parse((const char *)xmlBufferContent(text), (size_t)xmlBufferLength(text), document, error);
    xmlBufferFree(text);
    return status;
}

const char *clump_xml_attribute(const xmlNode *element, const char *name)
{
    for (const xmlAttr *a = element->properties; a != NULL; a = a->next)
        if (strcmp((const char *)a->name, name) == 0 && a->children != NULL &&
            a->children->type == XML_TEXT_NODE && a->children->content != NULL)
            return (const char *)a->children->content;
    return "";
}

/* "0x10" is 16, as programs that take these files read it. */
static bool read_hexadecimal(const char *text, double *value)
{
    const size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 8 || text[2 + digits] != '\0')
        return false;
    *value = (double)strtoul(text + 2, NULL, 16);
    return true;
}

static bool read_number(const char *text, double *value)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
               ? read_hexadecimal(text, value)
               : clump_number_read(text, strlen(text), value);
}

double clump_xml_number(const xmlNode *element, const char *name)
{
    double value = 0;
    return read_number(clump_xml_attribute(element, name), &value) ? value : 0;
}

clump_status clump_xml_read_number(const xmlNode *element, const char *name, double most,
                                   const char *expected, double *value, clump_error *error)
{
    const char *found = clump_xml_attribute(element, name);
    char text[41];
    *value = 0;
    if (*found == '\0' || (read_number(found, value) && *value <= most))
        return CLUMP_OK;
    snprintf(text, sizeof text, "%s", found);
    for (char *c = text; *c != '\0'; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "line %ld: %s is '%s', expected %s",
                      xmlGetLineNo(element), name, text, expected);
}

bool clump_xml_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}
